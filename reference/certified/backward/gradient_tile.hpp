// SPDX-License-Identifier: Apache-2.0
// The backward pass of sixteen query rows of one kv head, 64 keys at a time, in blocked double arithmetic with a
// running bound of every error.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "reference/certified/backward/decoded_rows.hpp"

namespace attestone {

/// Sixteen numbers, one for each row of a tile.
struct alignas(64) TileLanes {
  double of[rows_per_tile] = {};
  double& operator[](index row) { return of[row]; }
  double operator[](index row) const { return of[row]; }
};

/// What a tile reads. Rows that are not used, and those that are not to take part, see nothing.
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

/// What the first sweep over the keys finds. z is 0 for a dropped pair, else 1; a = dO.v.
struct GradientSums {
  TileLanes exponent;   ///< M: all sums are scaled by 2^-M; an integer up to exponent_limit
  TileLanes total;      ///< sum p, sinks and dropped pairs included
  TileLanes product;    ///< sum p z a
  TileLanes magnitude;  ///< sum p z |a|
  TileLanes norm;       ///< sum p z |v|, norms of v
  TileLanes sink;       ///< p of the sink
};

/// What the second sweep needs to know of each row: numbers, and coefficients of errors.
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

/// 64 keys of a tile, [key][row]: what the second sweep computes, and scratch. Every bound covers all errors but those
/// of the sum into which its number goes.
struct GradientColumns {
  GradientColumns();
  AlignedDoubles weight;          ///< P z
  AlignedDoubles weight_bound;    ///< of it
  AlignedDoubles gradient;        ///< dS (1 - tanh^2) / F, F = 1 / (1 - rate)
  AlignedDoubles gradient_bound;  ///< of it, relative errors of later sums left out
  AlignedDoubles bias_gradient;   ///< dS / F
  AlignedDoubles bias_bound;
  AlignedDoubles score, correction, slope, product;
  AlignedDoubles seen;     ///< 1 where the row sees the key, else 0
  AlignedDoubles grouped;  ///< [64][4]: bounds of four rows together; or [16][16], of four keys
};

/// A sum of gradients and the sum of what bounds it, [rows][stride] or [columns][16].
struct BoundedSum {
  double *value, *bound;
};

/// First sweep, over all keys.
void sum_tile(const GradientTask&, GradientColumns& scratch, GradientSums&);
/// Second sweep, one word of keys.
void differentiate(const GradientTask&, const RowStates&, index word, GradientColumns&);
/// dQ / (scale F), transposed [dim][16], += dS K. `sum_error`: relative error of a sum, with respect to its magnitudes.
void add_to_query(const GradientTask&, index word, double sum_error, GradientColumns&, BoundedSum);
/// [64][stride] += block^T rows, `rows` being the tile's rows of Q (dK / (scale F)) or dO (dV / F).
struct KeySum {
  const double *rows, *row_peaks;  ///< [16][stride], [4][stride]
  index stride;
  double sum_error;
};
void add_to_key(const KeySum&, GradientColumns&, BoundedSum);
void add_to_value(const KeySum&, GradientColumns&, BoundedSum);

}  // namespace attestone
