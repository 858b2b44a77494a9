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

/// A word of keys just after differentiate(), for one tile.
struct QueryWord {
  index word;
  const double* gradient;                              ///< of its block
  std::span<const double> next_weight, next_gradient;  ///< what will be read next, to be fetched meanwhile
};

/// dQ / (scale F), transposed [dim][16], += dS K of some words of one stretch, of which `terms`, [words][16][16], has
/// all: those of words that are not among them are 0.
void add_to_query(const DecodedRows& key, std::span<const QueryWord>, index stretch, std::span<const double> terms,
                  BoundedSum);

/// Tiles of a panel whose pairs with one word are added up over the rows.
struct PanelRows {
  const DecodedRows* rows;       ///< Q for dK / (scale F), dO for dV / F
  index first_row;               ///< of the panel
  std::span<const index> tiles;  ///< in it, those of which some row sees the word; ascending
  const double* pairs;           ///< [tile][key][16], GradientPanel::tile_stride from tile to tile
  const double* bounds;          ///< [key][bound_stride], four of each tile
  index bound_stride;
};
/// [64][stride] += pairs^T rows. `next` is fetched meanwhile.
void add_to_keys(const PanelRows&, std::span<const double> next, BoundedSum);

}  // namespace attestone
