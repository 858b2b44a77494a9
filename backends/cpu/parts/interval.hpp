// SPDX-License-Identifier: Apache-2.0
// Intervals of queries and keys.
#pragma once

#include <algorithm>
#include <vector>

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// The integers from first to last, both included; empty if last < first.
struct Interval {
  index first = 0, last = -1;

  index count() const { return last < first ? 0 : last - first + 1; }
  bool operator==(const Interval&) const = default;
};

/// How many tiles of a size hold them all.
constexpr index tiles_of(index all, index size) { return size > 0 ? (all + size - 1) / size : 0; }

/// 0 ... count - 1 in stretches of `size`; the last one may be shorter.
inline std::vector<Interval> equal_stretches(index count, index size) {
  std::vector<Interval> stretches;
  for (index first = 0; first < count; first += size) stretches.push_back({first, std::min(first + size, count) - 1});
  return stretches;
}

}  // namespace attestone::inline backends
