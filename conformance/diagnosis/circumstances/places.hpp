// SPDX-License-Identifier: Apache-2.0
// Sets of batches, heads, rows and channels by which kernels are known to go wrong.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// A set of places along one axis of any problem.
struct PlacePattern {
  std::string says;  ///< "channels from dim on"
  std::function<bool(const Problem&, index place)> holds;
};

/// The patterns along an axis ("batch", "head", "query", "key", "channel"), the simplest first.
std::vector<PlacePattern> place_patterns(std::string_view axis);

}  // namespace attestone::inline conformance
