// SPDX-License-Identifier: Apache-2.0
// Turning masks into sets of diagonals, by the algebra of sets.
#include "backends/cpu/parts/tile_mask.hpp"

#include <algorithm>

namespace attestone::inline backends {
namespace {

using Diagonals = std::vector<Interval>;

// Beyond every diagonal there is; small enough that adding a query or a length to it cannot overflow.
constexpr index far = index{1} << 60;

Diagonals between(index first, index last) {
  const Interval band{std::clamp(first, -far, far), std::clamp(last, -far, far)};
  return band.first <= band.last ? Diagonals{band} : Diagonals{};
}

/// The gaps before, between and after the intervals.
Diagonals complement(const Diagonals& set) {
  Diagonals gaps;
  index next = -far;
  for (const Interval& band : set) {
    if (next < band.first) gaps.push_back({next, band.first - 1});
    next = band.last + 1;
  }
  if (next <= far) gaps.push_back({next, far});
  return gaps;
}

Diagonals intersection(const Diagonals& left, const Diagonals& right) {
  Diagonals both;
  for (const Interval& a : left)
    for (const Interval& b : right) {
      const Interval overlap{std::max(a.first, b.first), std::min(a.last, b.last)};
      if (overlap.first <= overlap.last) both.push_back(overlap);
    }
  return both;
}

Diagonals join(const Diagonals& left, const Diagonals& right) {
  return complement(intersection(complement(left), complement(right)));
}

/// The diagonals key - query of one rule in a stretch of keys, over which it does not change. `shift` is that of the
/// last query and the last key.
std::optional<Diagonals> rule_diagonals(const Mask& mask, index shift, Interval keys) {
  if (mask.rule() == "full") return between(-far, far);
  if (mask.rule() == "causal") return between(-far, shift);
  if (mask.rule() == "causal:top_left") return between(-far, 0);
  if (mask.rule() == "window") {
    const index left = std::min(mask.arguments()[0], far), right = std::min(mask.arguments()[1], far);
    return between(left < 0 ? -far : shift - left, right < 0 ? far : shift + right);
  }
  if (mask.rule() == "prefix") return between(-far, keys.last < mask.arguments()[0] ? far : shift);
  return std::nullopt;
}

std::optional<Diagonals> mask_diagonals(const Mask& mask, index shift, Interval keys) {
  if (mask.kind() == Mask::Kind::rule) return rule_diagonals(mask, shift, keys);
  std::optional<Diagonals> all;
  for (const Mask& part : mask.parts()) {
    const std::optional<Diagonals> own = mask_diagonals(part, shift, keys);
    if (!own) return std::nullopt;
    if (mask.kind() == Mask::Kind::not_) return complement(*own);
    if (!all)
      all = own;
    else
      all = mask.kind() == Mask::Kind::and_ ? intersection(*all, *own) : join(*all, *own);
  }
  return all;
}

/// Appends the keys at which a rule changes from one set of diagonals to another.
void append_borders(const Mask& mask, std::vector<index>& borders) {
  if (mask.kind() == Mask::Kind::rule && mask.rule() == "prefix") borders.push_back(std::min(mask.arguments()[0], far));
  for (const Mask& part : mask.parts()) append_borders(part, borders);
}

}  // namespace

std::optional<TileMask> TileMask::of(const Mask& mask, const Sequence& sequence) {
  std::vector<index> borders{-far, far + 1};
  append_borders(mask, borders);
  std::sort(borders.begin(), borders.end());
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const Interval keys{borders[i], borders[i + 1] - 1};
    if (keys.count() == 0) continue;
    std::optional<Diagonals> diagonals = mask_diagonals(mask, sequence.keys - sequence.queries, keys);
    if (!diagonals) return std::nullopt;
    stretches.push_back({keys, std::move(*diagonals)});
  }
  return TileMask(std::move(stretches));
}

std::optional<std::string> TileMask::unknown_rule(const Mask& mask) {
  if (mask.kind() == Mask::Kind::rule) {
    if (rule_diagonals(mask, 0, {})) return std::nullopt;
    return mask.rule();
  }
  for (const Mask& part : mask.parts())
    if (const auto unknown = unknown_rule(part)) return unknown;
  return std::nullopt;
}

VisiblePart TileMask::coverage(Interval queries, Interval keys) const {
  std::optional<VisiblePart> all;
  for (const Stretch& stretch : stretches_) {
    const Interval part{std::max(keys.first, stretch.keys.first), std::min(keys.last, stretch.keys.last)};
    if (part.count() == 0) continue;
    const VisiblePart own = stretch.coverage(queries, part);
    all = !all || *all == own ? own : VisiblePart::some;
  }
  return *all;
}

Interval TileMask::outermost(Interval queries, Interval keys) const {
  Interval all{keys.last + 1, keys.first - 1};
  for (const auto& [within, diagonals] : stretches_)
    for (const Interval& band : diagonals) {
      const index first = std::max({keys.first, within.first, band.first + queries.first});
      const index last = std::min({keys.last, within.last, band.last + queries.last});
      if (last < first) continue;
      all = {std::min(all.first, first), std::max(all.last, last)};
    }
  return all;
}

void TileMask::see(Interval queries, Interval keys, QuerySet* seen) const {
  std::fill_n(seen, keys.count(), QuerySet{0});
  for (const auto& [within, diagonals] : stretches_)
    for (const Interval& band : diagonals)
      for (index key = std::max(keys.first, within.first); key <= std::min(keys.last, within.last); ++key) {
        const index first = std::max(key - band.last, queries.first), last = std::min(key - band.first, queries.last);
        if (first > last) continue;
        seen[key - keys.first] |= first_queries(last - first + 1) << (first - queries.first);
      }
}

VisiblePart TileMask::Stretch::coverage(Interval queries, Interval tile_keys) const {
  // Every diagonal between the lower left and the upper right corner crosses the tile.
  const Interval tile{tile_keys.first - queries.last, tile_keys.last - queries.first};
  for (const Interval& band : diagonals) {
    if (band.last < tile.first) continue;
    if (band.first > tile.last) return VisiblePart::none;
    return band.first <= tile.first && tile.last <= band.last ? VisiblePart::all : VisiblePart::some;
  }
  return VisiblePart::none;
}

}  // namespace attestone::inline backends
