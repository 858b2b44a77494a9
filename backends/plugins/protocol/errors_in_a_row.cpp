// SPDX-License-Identifier: Apache-2.0
// When to ask again.
#include "backends/plugins/protocol/errors_in_a_row.hpp"

#include <bit>
#include <cstdint>

namespace attestone::inline backends {

bool ErrorsInARow::may_be_inherited(const std::string& problem) {
  constexpr index often = 8;
  if (errors_++ == 0 || problem == asked_again_) return false;
  asked_again_ = problem;
  ++problems_;
  return problems_ <= often || std::has_single_bit(static_cast<std::uint64_t>(problems_));
}

}  // namespace attestone::inline backends
