// SPDX-License-Identifier: Apache-2.0
// Intervals of queries and keys.
#pragma once

#include "reference/shape.hpp"

namespace attestone {

/// The integers from first to last, both included; empty if last < first.
struct Interval {
  index first = 0, last = -1;

  index count() const { return last < first ? 0 : last - first + 1; }
  bool operator==(const Interval&) const = default;
};

}  // namespace attestone
