// SPDX-License-Identifier: Apache-2.0
// Problems that would show a sentence about a failure to be false, drawn where nobody has looked yet.
#pragma once

#include <functional>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// Up to `count` problems like `base`, with the fill, seed and extents of all axes drawn anew, each of which is one
/// that the sentence speaks of: `suits` holds. Fewer where few of those that were drawn do.
std::vector<Problem> fresh_problems(const Problem& base, const std::function<bool(const Problem&)>& suits,
                                    std::size_t count, std::uint64_t seed);

}  // namespace attestone::inline conformance
