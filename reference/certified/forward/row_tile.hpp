// SPDX-License-Identifier: Apache-2.0
// Tiles of sixteen query rows of one kv head, in blocked double arithmetic: the sums from which answers and bounds
// follow.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "reference/certified/forward/decoded_head.hpp"
#include "reference/certified/numbers/certified.hpp"

namespace attestone {

struct TileSums;

/// The work of a tile, and where its results go. Rows that are not used have no visible key.
struct TileTask {
  const DecodedHead* head;
  const double* query;                                      ///< [dim][16], transposed; finite
  std::array<const std::uint64_t*, rows_per_tile> visible;  ///< words of each row
  std::array<const std::uint64_t*, rows_per_tile> kept;     ///< of those, the pairs that dropout keeps; null: all
  index words;                                              ///< of visibility, per row
  double scale;
  std::optional<double> softcap;
  const double* sink = nullptr;  ///< [16], finite or -infinity; null without sinks
  /// Fills [keys][16] finite biases for the keys from first_key on; null without bias.
  void (*bias)(const void* context, index first_key, index keys, double* biases) = nullptr;
  const void* bias_context = nullptr;
  TileSums* sums;
  std::span<const Certified> answers;  ///< where they will be written
};

/// The results of a tile. All sums of row r are scaled by 2^-exponent[r].
struct TileSums {
  explicit TileSums(index channels);

  AlignedDoubles out;                          ///< [channels][16]: sum p v over kept keys
  AlignedDoubles magnitude;                    ///< [channels][16]: at least sum p |v| of them (but for rounding)
  alignas(64) double total[rows_per_tile];     ///< sum p, dropped keys and the sink included; 0: there is neither
  alignas(64) double exponent[rows_per_tile];  ///< the largest of the rounded scores / ln 2: see exponent_limit
  double key_norm[rows_per_tile];              ///< the largest norm of keys near visible ones
  double value_peak[rows_per_tile];            ///< the largest |v| near visible keys
  index tiles[rows_per_tile];                  ///< words with visible keys; 0: the row sees nothing

  // Scratch.
  alignas(64) double factor[rows_per_tile];  ///< of one word of keys: what rescales the older sums
  // Scratch of one stretch of words.
  AlignedDoubles group_weight;                       ///< [64][16]: of the words so far, sum p of each group of keys
  alignas(64) double stretch_factor[rows_per_tile];  ///< the product of their factors
};

/// Fills the sums of up to tiles_at_once tiles of one head.
void sum_rows(std::span<const TileTask>);

}  // namespace attestone
