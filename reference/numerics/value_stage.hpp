// SPDX-License-Identifier: Apache-2.0
// From weights to the sum of weighted values.
#pragma once

#include "reference/numerics/operand_codes.hpp"
#include "reference/numerics/stage.hpp"

namespace attestone {

/// The sum may be divided by the denominator behind it (docs/tolerance.md, "Output").
struct ValueStage : Stage {
  RowCast values;                           ///< V travels, or is kept, in a narrower format
  double operand_roundoff = 0;              ///< [u_in] p and v are rounded again before the product
  bool fresh_accumulator_per_tile = false;  ///< two-level sums, of p too: chains of B + T additions instead of n
  double tile_roundoff = 0;  ///< [u_tile] of the sum of a tile, where it is made in a narrower accumulator of its own
  index tile_roundings = 0;  ///< how often that is rounded, at most
  /// The sum so far is divided by the denominator so far after every tile, and multiplied by it again in the next
  /// (T. Dao et al., FlashAttention, arXiv 2205.14135, Algorithm 1). Tiles of weight.tile_keys.
  bool normalised_per_tile = false;
  OperandCodes codes;
};

}  // namespace attestone
