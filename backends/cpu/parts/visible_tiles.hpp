// SPDX-License-Identifier: Apache-2.0
// Which pairs of one head a kernel sees: by the plain data of the mask where that suffices, by bytes where not.
#pragma once

#include <limits>

#include "backends/cpu/parts/tile_mask.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// The visible pairs of one head of one sequence. Padding is no matter of the plain data: kernels clip their tiles to
/// the real lengths, and what lies behind those is never asked about.
class VisibleTiles {
 public:
  /// By the bytes, if the kernel was handed any; else by the mask's plain data, which must then suffice.
  VisibleTiles(const Problem&, const KernelInputs&, index batch, index head);
  /// True if the mask can only be had as bytes: it holds a rule that is not made of bands of diagonals.
  static bool need_bytes(const Problem& problem) { return TileMask::unknown_rule(problem.mask).has_value(); }

  /// How much of queries x keys is visible; both intervals must not be empty.
  VisiblePart coverage(Interval queries, Interval keys) const;
  bool any(Interval queries, Interval keys) const {
    return queries.count() > 0 && keys.count() > 0 && coverage(queries, keys) != VisiblePart::none;
  }
  /// The shortest interval of keys outside which none of the queries sees any; of queries there must be some.
  Interval outermost(Interval queries, Interval keys) const;
  /// seen[key - keys.first] becomes the queries, at most 32, that see the key.
  void see(Interval queries, Interval keys, QuerySet* seen) const;
  /// Calls visit(Interval) for every run of visible keys of one query inside `keys`, from left to right. biases[j] is
  /// that of key keys.first + j, and -infinity hides it; null: there are none.
  template <class Visit>
  void for_each_run(index query, Interval keys, const float* biases, Visit visit) const;
  /// seen[j] becomes 1 if the query sees key keys.first + j, else 0.
  void mark(index query, Interval keys, const float* biases, std::uint8_t* seen) const;

 private:
  std::span<const std::uint8_t> bytes(index query, Interval keys) const;

  std::optional<TileMask> diagonals_;
  const VisiblePairs* pairs_;
  index batch_, head_;
};

/// Calls visit(Interval) for every longest run of `first`, first + 1, ... whose flags, in this order, are set.
template <class IsSet, class Visit>
void for_each_run_of(Interval all, IsSet is_set, Visit visit) {
  for (index from = all.first; from <= all.last; ++from) {
    if (!is_set(from)) continue;
    Interval run{from, from};
    while (run.last < all.last && is_set(run.last + 1)) ++run.last;
    visit(run);
    from = run.last;
  }
}

template <class Visit>
void VisibleTiles::for_each_run(index query, Interval keys, const float* biases, Visit visit) const {
  const auto unless_biased_away = [&](Interval run) {
    constexpr float hidden = -std::numeric_limits<float>::infinity();
    if (!biases) return visit(run);
    for_each_run_of(
        run, [&](index key) { return biases[key - keys.first] != hidden; }, visit);
  };
  if (diagonals_) return diagonals_->for_each_run(query, keys, unless_biased_away);
  const auto seen = bytes(query, keys);
  for_each_run_of(
      keys, [&](index key) { return seen[static_cast<std::size_t>(key - keys.first)] != 0; }, unless_biased_away);
}

}  // namespace attestone::inline backends
