// SPDX-License-Identifier: Apache-2.0
// The pairs of some tiles of rows and all keys, between the threads that differentiate rows and those that add up keys.
#pragma once

#include <span>

#include "reference/certified/forward/tile_extents.hpp"
#include "reference/certified/numbers/scratch.hpp"

namespace attestone {

/// Every fourth row of a tile shares one bound of its magnitudes with the others of them.
constexpr index groups_per_tile = rows_per_tile / keys_per_group;
/// Tiles that are added up over their rows together.
constexpr index tiles_per_group = rows_per_tile / groups_per_tile;

/// The pairs of one tile and one word, [key][16] unless said otherwise. A bound covers all errors but those of the sum
/// into which its number goes, unless said otherwise.
struct PairBlock {
  double* weight;         ///< scores; then p, scaled by 2^-exponent; then P z
  double* gradient;       ///< a = dO.v; then dS (1 - tanh^2) / F, F = 1 / (1 - rate)
  double* exponent;       ///< [16]
  double* slope;          ///< 1 - tanh^2; null without a softcap
  double* correction;     ///< of the scores; null without biases
  double* bias_gradient;  ///< dS / F; null where nobody asks for it
  double* bias_bound;
  /// [key][bound_stride], where this tile has four numbers: bounds of four rows together, errors of sums over rows
  /// included. Behind them stand those of the next tile.
  double *weight_bound, *gradient_bound;
  index bound_stride;

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
  /// How many additions the sum over the rows of a tile goes through, at most, on its way into the sum over `all` tiles
  /// of all panels: within its group, and then one for each group.
  index additions(index all) const;
  PairBlock block(index tile, index word) const;
  /// p and a, or P z and dS (1 - tanh^2), of some neighbouring tiles and one word.
  std::span<const double> weights(index tile, index tiles, index word) const {
    return part(weight_, tile, tiles, word);
  }
  std::span<const double> gradients(index tile, index tiles, index word) const {
    return part(gradient_, tile, tiles, word);
  }
  /// From a tile to the next, of what is [key][16]. More than it needs, as the same keys of all tiles would compete for
  /// the same places of a cache.
  static constexpr index tile_stride = (keys_per_word + 8) * rows_per_tile;

 private:
  std::span<const double> part(const AlignedDoubles& array, index tile, index tiles, index word) const {
    return {array.get() + (word * tiles_ + tile) * tile_stride, static_cast<std::size_t>(tiles * tile_stride)};
  }

  index tiles_, bound_stride_;
  AlignedDoubles weight_, gradient_, slope_, correction_, bias_gradient_, bias_bound_;  ///< [word][tile][64][16]
  AlignedDoubles exponent_;                                                             ///< [word][tile][16]
  AlignedDoubles weight_bound_, gradient_bound_;                                        ///< [word][64][bound_stride]
};

}  // namespace attestone
