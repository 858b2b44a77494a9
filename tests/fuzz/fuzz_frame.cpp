// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: whatever a program writes is an answer, or a fault of the kernel; never anything else. The first
// byte says in what pieces it comes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/program/program_worker.hpp"
#include "reference/user_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::size_t{data[0]} + 1;
  std::span<const std::byte> rest = std::as_bytes(std::span(data, size)).subspan(1);
  try {
    attestone::FrameReader reader(1 << 16);
    while (!rest.empty() && !reader.complete()) {
      const std::size_t taken = std::min(piece, rest.size());
      reader.take(rest.first(taken));
      rest = rest.subspan(taken);
    }
    if (!reader.complete()) return 0;
    if (reader.content().size() > size) std::abort();
    const attestone::Safetensors answer(reader.content(), "its answer");
  } catch (const attestone::KernelFault&) {
  } catch (const attestone::UserError&) {
  }
  return 0;
}
