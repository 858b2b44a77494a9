// SPDX-License-Identifier: Apache-2.0
// Row after row, so that every line of memory is written once.
#include "reference/certified/numbers/store_elements.hpp"

#include <cmath>

namespace attestone {
namespace {

/// to[i] = element i * step; whether one of them is open.
template <index step>
bool store(const QuickDecisions& of, index count, Certified* to) {
  bool open = false;
  for (index i = 0; i < count; ++i) {
    const double rounded = of.rounded[i * step];
    open |= std::isnan(rounded);
    to[i] = {of.value[i * step], of.bound[i * step], rounded};
  }
  return open;
}

}  // namespace

std::uint32_t store_lanes(const QuickDecisions& of, index count, const std::array<Certified*, lanes_of_elements>& to) {
  std::uint32_t open = 0;
  for (index lane = 0; lane < lanes_of_elements; ++lane)
    if (Certified* row = to[static_cast<std::size_t>(lane)])
      open |= std::uint32_t{store<lanes_of_elements>({of.value + lane, of.bound + lane, of.rounded + lane}, count, row)}
              << lane;
  return open;
}

bool store_row(const QuickDecisions& of, index count, Certified* to) { return store<1>(of, count, to); }

}  // namespace attestone
