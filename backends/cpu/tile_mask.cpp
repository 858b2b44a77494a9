// SPDX-License-Identifier: Apache-2.0
// Turning masks into sets of diagonals, by the algebra of sets.
#include "backends/cpu/tile_mask.hpp"

#include <algorithm>

namespace attestone {
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

/// The diagonals key - query of one rule. `shift` is that of the last query and the last key.
std::optional<Diagonals> rule_diagonals(const Mask& mask, index shift) {
  if (mask.rule() == "full") return between(-far, far);
  if (mask.rule() == "causal") return between(-far, shift);
  if (mask.rule() == "causal:top_left") return between(-far, 0);
  if (mask.rule() == "window") {
    const index left = std::min(mask.arguments()[0], far), right = std::min(mask.arguments()[1], far);
    return between(left < 0 ? -far : shift - left, right < 0 ? far : shift + right);
  }
  return std::nullopt;
}

std::optional<Diagonals> mask_diagonals(const Mask& mask, index shift) {
  if (mask.kind() == Mask::Kind::rule) return rule_diagonals(mask, shift);
  std::optional<Diagonals> all;
  for (const Mask& part : mask.parts()) {
    const std::optional<Diagonals> own = mask_diagonals(part, shift);
    if (!own) return std::nullopt;
    if (mask.kind() == Mask::Kind::not_) return complement(*own);
    if (!all)
      all = own;
    else
      all = mask.kind() == Mask::Kind::and_ ? intersection(*all, *own) : join(*all, *own);
  }
  return all;
}

}  // namespace

std::optional<TileMask> TileMask::of(const Mask& mask, const Sequence& sequence) {
  std::optional<Diagonals> diagonals = mask_diagonals(mask, sequence.keys - sequence.queries);
  if (!diagonals) return std::nullopt;
  return TileMask(std::move(*diagonals));
}

std::optional<std::string> TileMask::unknown_rule(const Mask& mask) {
  if (mask.kind() == Mask::Kind::rule) {
    if (rule_diagonals(mask, 0)) return std::nullopt;
    return mask.rule();
  }
  for (const Mask& part : mask.parts())
    if (const auto unknown = unknown_rule(part)) return unknown;
  return std::nullopt;
}

Coverage TileMask::coverage(Interval queries, Interval keys) const {
  // Every diagonal between the lower left and the upper right corner crosses the tile.
  const Interval tile{keys.first - queries.last, keys.last - queries.first};
  for (const Interval& band : diagonals_) {
    if (band.last < tile.first) continue;
    if (band.first > tile.last) return Coverage::none;
    return band.first <= tile.first && tile.last <= band.last ? Coverage::all : Coverage::some;
  }
  return Coverage::none;
}

}  // namespace attestone
