// SPDX-License-Identifier: Apache-2.0
// Asking diagonals or bytes about tiles.
#include "backends/cpu/parts/visible_tiles.hpp"

#include <algorithm>

namespace attestone::inline backends {

VisibleTiles::VisibleTiles(const Problem& problem, const KernelInputs& inputs, index batch, index head)
    : pairs_(inputs.mask), batch_(batch), head_(head) {
  if (!pairs_) diagonals_ = TileMask::of(problem.mask, problem.sequence(batch));
  require(pairs_ || diagonals_, "a kernel that asks for the mask as bytes is handed them");
}

std::span<const std::uint8_t> VisibleTiles::bytes(index query, Interval keys) const {
  return pairs_->row(batch_, head_, query)
      .subspan(static_cast<std::size_t>(keys.first), static_cast<std::size_t>(keys.count()));
}

VisiblePart VisibleTiles::coverage(Interval queries, Interval keys) const {
  if (diagonals_) return diagonals_->coverage(queries, keys);
  index visible = 0;
  for (index query = queries.first; query <= queries.last; ++query) {
    const auto seen = bytes(query, keys);
    visible += std::count(seen.begin(), seen.end(), std::uint8_t{1});
  }
  if (visible == 0) return VisiblePart::none;
  return visible == queries.count() * keys.count() ? VisiblePart::all : VisiblePart::some;
}

Interval VisibleTiles::outermost(Interval queries, Interval keys) const {
  if (diagonals_) return diagonals_->outermost(queries, keys);
  Interval all{keys.last + 1, keys.first - 1};
  for (index query = queries.first; query <= queries.last; ++query)
    for_each_run(query, keys, nullptr, [&](Interval run) {
      all = {std::min(all.first, run.first), std::max(all.last, run.last)};
    });
  return all;
}

void VisibleTiles::see(Interval queries, Interval keys, QuerySet* seen) const {
  if (diagonals_) return diagonals_->see(queries, keys, seen);
  std::fill_n(seen, keys.count(), QuerySet{0});
  for (index query = queries.first; query <= queries.last; ++query)
    for_each_run(query, keys, nullptr, [&](Interval run) {
      for (index key = run.first; key <= run.last; ++key)
        seen[key - keys.first] |= QuerySet{1} << (query - queries.first);
    });
}

void VisibleTiles::mark(index query, Interval keys, const float* biases, std::uint8_t* seen) const {
  std::fill_n(seen, keys.count(), std::uint8_t{0});
  for_each_run(query, keys, biases,
               [&](Interval run) { std::fill_n(seen + (run.first - keys.first), run.count(), std::uint8_t{1}); });
}

}  // namespace attestone::inline backends
