// SPDX-License-Identifier: Apache-2.0
// Memory for the pairs of a panel.
#include "reference/certified/backward/gradient_panel.hpp"

#include <algorithm>

namespace attestone {
namespace {

/// Pairs of a panel: so many that waiting for each other costs the threads little, in memory that large caches hold.
constexpr index pairs_at_once = index{1} << 20;

}  // namespace

void PairBlock::forget_bounds() const {
  for (index key = 0; key < keys_per_word; ++key)
    for (double* bound : {weight_bound, gradient_bound}) std::fill_n(bound + key * bound_stride, groups_per_tile, 0.0);
}

GradientPanel::GradientPanel(index words, index tiles_in_all, PanelParts parts)
    : tiles_(std::clamp(pairs_at_once / std::max(words * keys_per_word * rows_per_tile, index{1}), index{1},
                        std::max(tiles_in_all, index{1}))),
      bound_stride_((tiles_ + 2) * groups_per_tile) {  // more than it needs, too
  const index pairs = words * tiles_ * tile_stride;
  for (AlignedDoubles* array : {&weight_, &gradient_}) *array = uninitialised_doubles(pairs);
  if (parts.slopes) slope_ = uninitialised_doubles(pairs);
  if (parts.corrections) correction_ = uninitialised_doubles(pairs);
  if (parts.bias_gradients)
    for (AlignedDoubles* array : {&bias_gradient_, &bias_bound_}) *array = uninitialised_doubles(pairs);
  for (AlignedDoubles* array : {&weight_bound_, &gradient_bound_})
    *array = uninitialised_doubles(words * keys_per_word * bound_stride_);
}

PairBlock GradientPanel::block(index tile, index word) const {
  const index pair = (word * tiles_ + tile) * tile_stride;
  const index bound = word * keys_per_word * bound_stride_ + tile * groups_per_tile;
  const auto at = [&](const AlignedDoubles& array) { return array ? array.get() + pair : nullptr; };
  return {.weight = at(weight_),
          .gradient = at(gradient_),
          .slope = at(slope_),
          .correction = at(correction_),
          .bias_gradient = at(bias_gradient_),
          .bias_bound = at(bias_bound_),
          .weight_bound = weight_bound_.get() + bound,
          .gradient_bound = gradient_bound_.get() + bound,
          .bound_stride = bound_stride_};
}

}  // namespace attestone
