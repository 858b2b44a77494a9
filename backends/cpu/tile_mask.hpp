// SPDX-License-Identifier: Apache-2.0
// The mask as a tiled kernel sees it: a set of diagonals, so that whole tiles are skipped or taken without a look
// inside.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/interval.hpp"
#include "reference/mask.hpp"

namespace attestone {

/// How much of a tile is visible.
enum class Coverage { none, some, all };

/// Which pairs of one sequence a mask leaves visible.
///
/// full, causal, causal:top_left and window all depend on `key - query` only: each is one interval of diagonals of the
/// score matrix. Their combinations with & | ~ are unions of intervals, so every question about a tile is answered
/// exactly from a few numbers. Padding is no matter of the mask: the kernel clips its tiles to the real lengths.
class TileMask {
 public:
  /// The diagonals of a mask, or nothing if it holds a rule that is no band of diagonals.
  static std::optional<TileMask> of(const Mask&, const Sequence&);
  /// Such a rule in the mask, if there is one.
  static std::optional<std::string> unknown_rule(const Mask&);

  /// How much of queries x keys is visible; both intervals must not be empty.
  Coverage coverage(Interval queries, Interval keys) const;
  bool visible(index query, index key) const { return coverage({query, query}, {key, key}) == Coverage::all; }
  /// Calls visit(Interval) for every run of visible keys of one query inside `keys`, from left to right.
  template <class Visit>
  void for_each_run(index query, Interval keys, Visit visit) const;

 private:
  explicit TileMask(std::vector<Interval> diagonals) : diagonals_(std::move(diagonals)) {}

  std::vector<Interval> diagonals_;  ///< of key - query; ascending, disjoint, never adjacent, never empty
};

template <class Visit>
void TileMask::for_each_run(index query, Interval keys, Visit visit) const {
  for (const Interval& band : diagonals_) {
    const Interval run{std::max(keys.first, band.first + query), std::min(keys.last, band.last + query)};
    if (run.first <= run.last) visit(run);
  }
}

}  // namespace attestone
