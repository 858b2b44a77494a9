// SPDX-License-Identifier: Apache-2.0
// From scores to weights: the running maximum, exponentials, the denominator, and the cast before they meet V.
#pragma once

#include "reference/numerics/stage.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// A number that kernels may subtract in place of a maximum: a bound that no score exceeds, ||q|| max ||k|| times the
/// scale by Cauchy and Schwarz, less `lowered`; only where that bound is at most `largest`. In natural units.
/// (MaxDiffusion, kernels/custom_splash_attention.py: `use_fixed_m`.)
struct BoundedMaximum {
  double lowered = 0;
  double largest = 0;  ///< 0: kernels subtract no such bound
};

/// Weights that share a scale with their neighbours: beside the roundoff of its cast, one is off by as much as this
/// share of the largest of its block, but never by more than itself.
struct BlockCast {
  double of_largest = 0;       ///< [kappa_P]
  index keys = 1;              ///< of a block, counted from the first key on
  double smallest_normal = 0;  ///< [phi_P] weights of at least this share of the largest are not; 0: all may be
};

/// The backward pass, which recomputes the weights, goes through this stage again.
struct WeightStage : Stage {
  double exp_error = 0;                ///< [eps_exp] relative error of the exponential; exp(0) is exactly 1
  Cast cast;                           ///< [u_P] of p before the product with V; eta_P of p itself, too
  BlockCast block_cast;                ///< and beyond it
  bool denominator_sums_cast = false;  ///< the denominator adds up the cast weights, not the exact ones
  bool normalised = false;             ///< weights are divided by the denominator before the cast
  double reference_above = 0;          ///< how far what is subtracted from scores may be above their maximum
  double reference_below = 0;          ///< and how far below it
  BoundedMaximum bounded_maximum;      ///< or as high as this
  Visits visits = Visits::either_way;  ///< of the tiles
  /// [B] keys per tile; the running maximum is brought up to date once a tile. 0: one tile holds all keys; 1: any size.
  index tile_keys = 0;
};

}  // namespace attestone
