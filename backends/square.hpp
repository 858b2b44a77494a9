// SPDX-License-Identifier: Apache-2.0
// Finds problems whose first and last query are at the first and last key: there, all causal masks are one.
#pragma once

#include "reference/problem/problem.hpp"

namespace attestone::inline backends {

/// True if each sequence has as many queries as keys.
inline bool is_square(const Problem& problem) {
  for (index batch = 0; batch < problem.shape.batch; ++batch)
    if (problem.sequence(batch).queries != problem.sequence(batch).keys) return false;
  return true;
}

}  // namespace attestone::inline backends
