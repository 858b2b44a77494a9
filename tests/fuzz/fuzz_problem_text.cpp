// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes are a problem that survives its own text, or a user's mistake; never anything else.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reference/problem/problem.hpp"
#include "reference/user_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const attestone::Problem problem = attestone::parse_problem(text);
    if (attestone::parse_problem(problem.text()) != problem) std::abort();
  } catch (const attestone::UserError&) {
  }
  return 0;
}
