// SPDX-License-Identifier: Apache-2.0
// The pairs of sixteen query rows and 64 keys at a time, in blocked double arithmetic with a running bound of every
// error: weights, and gradients of scores.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "reference/certified/backward/decoded_rows.hpp"
#include "reference/certified/backward/gradient_panel.hpp"

namespace attestone {

/// Sixteen numbers, one for each row of a tile.
struct alignas(64) TileLanes {
  double of[rows_per_tile] = {};
  double& operator[](index row) { return of[row]; }
  double operator[](index row) const { return of[row]; }
};

/// The inputs of a tile. Rows that are not used, and those that are not to take part, see nothing.
struct GradientTask {
  const DecodedRows *key, *value;
  const double* query;                                      ///< [dim][16], transposed
  const double* dout;                                       ///< [value_dim][16], transposed
  std::array<const std::uint64_t*, rows_per_tile> visible;  ///< words of each row
  std::array<const std::uint64_t*, rows_per_tile> kept;     ///< of those, the pairs that dropout keeps
  index words;                                              ///< of visibility, per row
  double scale;
  std::optional<double> softcap;
  TileLanes sink;  ///< finite or -infinity
  /// Fills [keys][16] finite biases for the keys from first_key on; null without bias.
  void (*bias)(void* context, index first_key, index keys, double* biases) = nullptr;
  void* bias_context = nullptr;
};

/// The sums that the first sweep over the keys finds. z is 0 for a dropped pair, else 1; a = dO.v.
struct GradientSums {
  TileLanes exponent;   ///< M: all sums are scaled by 2^-M; an integer up to exponent_limit
  TileLanes total;      ///< sum p, sinks and dropped pairs included
  TileLanes product;    ///< sum p z a
  TileLanes magnitude;  ///< sum p z |a|
  TileLanes norm;       ///< sum p z |v|, norms of v
  TileLanes sink;       ///< p of the sink
};

/// The second sweep's inputs for each row: numbers, and coefficients of errors.
struct RowStates {
  TileLanes exponent, inverse;  ///< M and 1 / sum p
  TileLanes delta;              ///< sum P z a, P = p / sum p
  TileLanes live;               ///< 1 where dS may differ from 0, else 0
  TileLanes sink_weight;        ///< P of the sink
  TileLanes weight_error;       ///< relative error of P
  TileLanes slope_error;        ///< relative error of 1 - tanh^2
  TileLanes delta_error;        ///< absolute error of delta and of what a loses by underflow
  TileLanes dot_error;          ///< |computed a - a| <= this * |v|
  TileLanes lost;               ///< what a pair of vanishing weight, slope or product may lose of dS
};

/// Relative errors of the sums into which the pairs go, with respect to their magnitudes.
struct SumErrors {
  double query, key;
};

/// One thread's buffers for one word, in addition to a panel: [64][16] unless said otherwise.
struct PairScratch {
  PairScratch();
  AlignedDoubles seen, kept;  ///< 1 where the row sees the key, and where dropout keeps the pair; else 0
  AlignedDoubles weight_terms, gradient_terms;  ///< the bounds of weight and gradient in sums over rows
  /// [16][16] for each word of a stretch, those of gradient in sums over keys, of four keys each.
  AlignedDoubles query_terms;
  double* terms_of(index word) const { return query_terms.get() + word % words_per_stretch * terms_per_word; }
  static constexpr index terms_per_word = keys_per_word / keys_per_group * rows_per_tile;
};

/// First sweep of neighbouring tiles, over all keys: fills weight with p, gradient with a, and what the second sweep
/// needs beside them.
void sum_tiles(std::span<const GradientTask>, const GradientPanel&, index first_tile_in_panel, PairScratch&,
               std::span<GradientSums>);
/// Second sweep, one word of keys that the tile sees: fills weight, gradient and all bounds of the block.
void differentiate(const GradientTask&, const RowStates&, const SumErrors&, index word, const PairBlock&, PairScratch&);

}  // namespace attestone
