// SPDX-License-Identifier: Apache-2.0
// One channel carries the level of a row.
#include "conformance/problems/levels.hpp"

#include <cmath>

namespace attestone::inline conformance {

ElementSource at_level(const Problem& problem, double (*level)(const Problem&, const Element& query)) {
  constexpr double key_part = 16;  // exact in every format, and so is what it multiplies
  return [problem, level](const Element& at) {
    const bool carries = at.channel == 0 && (at.tensor == TensorName::query || at.tensor == TensorName::key);
    if (!carries) return normal_for(problem, at);
    return at.tensor == TensorName::key ? key_part : level(problem, at) / (problem.scale() * key_part);
  };
}

}  // namespace attestone::inline conformance
