// SPDX-License-Identifier: Apache-2.0
// The pairs of some tiles of rows and all keys, between the threads that differentiate rows and those that add up keys.
#pragma once

#include "reference/certified/forward/tile_extents.hpp"
#include "reference/certified/numbers/scratch.hpp"

namespace attestone {

/// Every fourth row of a tile shares one bound of its magnitudes with the others of them.
constexpr index groups_per_tile = rows_per_tile / keys_per_group;

/// The pairs of one tile and one word, [key][16] unless said otherwise. A bound covers all errors but those of the sum
/// into which its number goes, unless said otherwise.
struct PairBlock {
  double* weight;         ///< scores; then p; then P z
  double* gradient;       ///< a = dO.v; then dS (1 - tanh^2) / F, F = 1 / (1 - rate)
  double* slope;          ///< 1 - tanh^2; null without a softcap
  double* correction;     ///< of the scores; null without biases
  double* bias_gradient;  ///< dS / F; null where nobody asks for it
  double* bias_bound;
  double *weight_bound, *gradient_bound;  ///< [key][4]: bounds of four rows together, errors of sums over rows included
  index bound_stride;                     ///< from key to key of these

  /// Makes them 0: the tile sees nothing of the word.
  void forget_bounds() const;
};

/// Which of them a problem has.
struct PanelParts {
  bool slopes, corrections, bias_gradients;
};

/// Some tiles and all words of keys. In memory for as many rows as `pairs_at_once` allows, but for one tile at least.
class GradientPanel {
 public:
  GradientPanel(index words, index tiles_in_all, PanelParts);

  index tiles() const { return tiles_; }
  PairBlock block(index tile, index word) const;
  /// From a tile to the next, of what is [key][16]. More than it needs, as the same keys of all tiles would compete for
  /// the same places of a cache.
  static constexpr index tile_stride = (keys_per_word + 8) * rows_per_tile;

 private:
  index tiles_, bound_stride_;
  AlignedDoubles weight_, gradient_, slope_, correction_, bias_gradient_, bias_bound_;  ///< [word][tile][64][16]
  AlignedDoubles weight_bound_, gradient_bound_;                                        ///< [word][64][tile][4]
};

}  // namespace attestone
