// SPDX-License-Identifier: Apache-2.0
// Looking for two keys.
#include "conformance/probes/two_keys.hpp"

#include "reference/visible_pairs.hpp"

namespace attestone {

std::optional<TwoKeys> two_keys(const Problem& problem) {
  const Shape& s = problem.shape;
  const VisiblePairs visible(problem);
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = s.queries - 1; i >= 0; --i) {
        index first = -1;
        for (index j = 0; j < s.keys; ++j) {
          if (!visible({b, h, i, j})) continue;
          if (first >= 0) return TwoKeys{b, h, i, first, j};
          first = j;
        }
      }
  return std::nullopt;
}

}  // namespace attestone
