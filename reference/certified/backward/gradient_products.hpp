// SPDX-License-Identifier: Apache-2.0
// Sums of pairs over keys and over rows, with bounds: dQ, dK and dV.
#pragma once

#include <span>

#include "reference/certified/backward/gradient_tile.hpp"

namespace attestone {

/// A sum of gradients and the sum of what bounds it, [rows][stride] or [columns][16].
struct BoundedSum {
  double *value, *bound;
};

/// dQ / (scale F), transposed [dim][16], += dS K of one word, just after differentiate().
void add_to_query(const GradientTask&, index word, const PairBlock&, const PairScratch&, BoundedSum);

/// Tiles of a panel whose pairs with one word are added up over the rows.
struct PanelRows {
  const DecodedRows* rows;       ///< Q for dK / (scale F), dO for dV / F
  index first_row;               ///< of the panel
  std::span<const index> tiles;  ///< in it, those of which some row sees the word; ascending
  index used_tiles;              ///< of it
};
/// [64][stride] += pairs^T rows. `pairs`, [key][16], are those of the panel's first tile; `bounds` are of all its
/// tiles.
void add_to_keys(const PanelRows&, const double* pairs, const double* bounds, index bound_stride, BoundedSum);

}  // namespace attestone
