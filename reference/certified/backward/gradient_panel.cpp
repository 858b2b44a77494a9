// SPDX-License-Identifier: Apache-2.0
// Memory for the pairs of a panel.
#include "reference/certified/backward/gradient_panel.hpp"

#include <algorithm>

namespace attestone {
namespace {

/// Pairs of a panel: so many that waiting for each other costs the threads little, in memory that large caches hold.
constexpr index pairs_at_once = index{1} << 20;
/// Doubles between the bounds of a key and the next: without, many keys would compete for the same places of a cache.
constexpr index padding = 8;

}  // namespace

void PairBlock::forget_bounds() const {
  for (index key = 0; key < keys_per_word; ++key)
    for (double* bound : {weight_bound, gradient_bound}) std::fill_n(bound + key * bound_stride, groups_per_tile, 0.0);
}

GradientPanel::GradientPanel(index words, index tiles_in_all, PanelParts parts)
    : tiles_(std::clamp(pairs_at_once / std::max(words * keys_per_word * rows_per_tile, index{1}), index{1},
                        std::max(tiles_in_all, index{1}))),
      bound_stride_(tiles_ * groups_per_tile + padding) {
  const index pairs = words * tiles_ * tile_stride;
  for (AlignedDoubles* array : {&weight_, &gradient_}) *array = uninitialised_doubles(pairs);
  exponent_ = uninitialised_doubles(words * tiles_ * rows_per_tile);
  if (parts.slopes) slope_ = uninitialised_doubles(pairs);
  if (parts.corrections) correction_ = uninitialised_doubles(pairs);
  if (parts.bias_gradients)
    for (AlignedDoubles* array : {&bias_gradient_, &bias_bound_}) *array = uninitialised_doubles(pairs);
  for (AlignedDoubles* array : {&weight_bound_, &gradient_bound_})
    *array = uninitialised_doubles(words * keys_per_word * bound_stride_);
}

index GradientPanel::additions(index all) const {
  const auto groups = [](index tiles) { return (tiles + tiles_per_group - 1) / tiles_per_group; };
  return std::min(tiles_per_group, tiles_) - 1 + all / tiles_ * groups(tiles_) + groups(all % tiles_);
}

PairBlock GradientPanel::block(index tile, index word) const {
  const index pair = (word * tiles_ + tile) * tile_stride;
  const index bound = word * keys_per_word * bound_stride_ + tile * groups_per_tile;
  const auto at = [&](const AlignedDoubles& array) { return array ? array.get() + pair : nullptr; };
  return {.weight = at(weight_),
          .gradient = at(gradient_),
          .exponent = exponent_.get() + (word * tiles_ + tile) * rows_per_tile,
          .slope = at(slope_),
          .correction = at(correction_),
          .bias_gradient = at(bias_gradient_),
          .bias_bound = at(bias_bound_),
          .weight_bound = weight_bound_.get() + bound,
          .gradient_bound = gradient_bound_.get() + bound,
          .bound_stride = bound_stride_};
}

}  // namespace attestone
