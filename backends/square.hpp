// SPDX-License-Identifier: Apache-2.0
// Whether the first and the last query stand at the first and the last key: where all causal masks are one.
#pragma once

#include "reference/problem/problem.hpp"

namespace attestone::inline backends {

/// Whether each sequence has as many queries as keys.
inline bool is_square(const Problem& problem) {
  for (index batch = 0; batch < problem.shape.batch; ++batch)
    if (problem.sequence(batch).queries != problem.sequence(batch).keys) return false;
  return true;
}

}  // namespace attestone::inline backends
