// SPDX-License-Identifier: Apache-2.0
// Looking for two keys.
#include "conformance/diagnosis/probes/two_keys.hpp"

#include "reference/call/visible_pairs.hpp"

namespace attestone::inline conformance {
namespace {

/// The n-th from the front or from the back.
index from(bool back, index n, index count) { return back ? count - 1 - n : n; }

/// The first two visible keys of the last query that sees two, in the first sequence and head that have such a query;
/// or, from the back, the reverse of all that.
std::optional<TwoKeys> place(const Problem& problem, const VisiblePairs& visible, bool back) {
  const Shape& s = problem.shape;
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < s.queries; ++i) {
        const Pair row{from(back, b, s.batch), from(back, h, s.heads), from(!back, i, s.queries), 0};
        index first = -1;
        for (index j = 0; j < s.keys; ++j) {
          const index key = from(back, j, s.keys);
          if (!visible({row.batch, row.head, row.query, key})) continue;
          if (first >= 0) return TwoKeys{row.batch, row.head, row.query, first, key};
          first = key;
        }
      }
  return std::nullopt;
}

}  // namespace

std::optional<std::array<TwoKeys, 2>> two_keys(const Problem& problem) {
  const VisiblePairs visible(problem);
  const std::optional<TwoKeys> front = place(problem, visible, false);
  if (!front) return std::nullopt;
  return std::array{*front, *place(problem, visible, true)};
}

}  // namespace attestone::inline conformance
