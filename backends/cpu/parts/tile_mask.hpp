// SPDX-License-Identifier: Apache-2.0
// The mask as a tiled kernel sees it: sets of diagonals, so that whole tiles are skipped or taken without a look
// inside.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/parts/interval.hpp"
#include "backends/cpu/simd/panel.hpp"
#include "reference/masks/mask.hpp"

namespace attestone::inline backends {

/// How much of a tile is visible.
enum class VisiblePart { none, some, all };

/// Which pairs of one sequence a mask leaves visible.
///
/// full, causal, causal:top_left and window all depend on `key - query` only: each is one interval of diagonals of the
/// score matrix. Their combinations with & | ~ are unions of intervals. prefix is all diagonals up to its last key, and
/// causal from there on: so there is one set of diagonals for each of a few stretches of keys, and every question about
/// a tile is answered exactly from a few numbers. Padding is no matter of the mask: the kernel clips its tiles to the
/// real lengths.
class TileMask {
 public:
  /// The diagonals of a mask, or nothing if it holds a rule that is not made of bands of them.
  static std::optional<TileMask> of(const Mask&, const Sequence&);
  /// Such a rule in the mask, if there is one.
  static std::optional<std::string> unknown_rule(const Mask&);

  /// How much of queries x keys is visible; both intervals must not be empty.
  VisiblePart coverage(Interval queries, Interval keys) const;
  bool visible(index query, index key) const { return coverage({query, query}, {key, key}) == VisiblePart::all; }
  /// The shortest interval of keys outside which none of the queries sees any.
  Interval outermost(Interval queries, Interval keys) const;
  /// seen[key - keys.first] becomes the queries, at most 32, that see the key.
  void see(Interval queries, Interval keys, QuerySet* seen) const;
  /// Calls visit(Interval) for every run of visible keys of one query inside `keys`, from left to right.
  template <class Visit>
  void for_each_run(index query, Interval keys, Visit visit) const;

 private:
  /// Some keys, and what a query sees of them.
  struct Stretch {
    Interval keys;
    std::vector<Interval> diagonals;  ///< of key - query; ascending, disjoint, never adjacent, never empty

    VisiblePart coverage(Interval queries, Interval tile_keys) const;
  };
  explicit TileMask(std::vector<Stretch> stretches) : stretches_(std::move(stretches)) {}

  std::vector<Stretch> stretches_;  ///< ascending; together they are all keys
};

template <class Visit>
void TileMask::for_each_run(index query, Interval keys, Visit visit) const {
  Interval run;  // the last one, until it is known where it ends
  for (const auto& [within, diagonals] : stretches_)
    for (const Interval& band : diagonals) {
      const Interval next{std::max({keys.first, within.first, band.first + query}),
                          std::min({keys.last, within.last, band.last + query})};
      if (next.last < next.first) continue;
      const bool goes_on = run.count() > 0 && next.first == run.last + 1;
      if (!goes_on && run.count() > 0) visit(run);
      run = goes_on ? Interval{run.first, next.last} : next;
    }
  if (run.count() > 0) visit(run);
}

}  // namespace attestone::inline backends
