// SPDX-License-Identifier: Apache-2.0
// One head by SageAttention3: codes of four bits, and weights that are coded in two levels.
#pragma once

#include <algorithm>

#include "backends/cpu/quantization/coded_operand.hpp"
#include "backends/cpu/quantization/scaled_unit_values.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// The codes of Q, K and V, the largest weight, and what release 2.2.0 gets wrong (docs/quantized.md) and, last, a port
/// of it (flashinfer PR #3838).
struct Sage3 {
  static constexpr index tile = 128;         ///< queries, and keys
  static constexpr float largest = 448 * 6;  ///< weights reach the largest scale times the largest code

  OperandCodes query_codes, key_codes, value_codes;
  bool masks_stored_columns = false;    ///< a mask takes a key for that whose place it has in permuted memory
  bool drops_second_tile = false;       ///< a causal row loses the products of the second tile of keys that it meets
  bool first_maxima_from_zero = false;  ///< those of blocks, and of the row, in the first tile that it meets
  bool first_mean_for_all = false;      ///< scores get the mean of the first rows of Q back, and not their own

  /// preprocess_qkv of sageattn3/api.py: K loses its mean, Q that of each 128 rows or of the head, which counts rows of
  /// zeros up to a multiple of 128. Sixteen channels of a row of Q or K share a scale, or sixteen rows of a channel of
  /// V.
  explicit Sage3(bool mean_of_head);
};

/// The memory of one head, and the work on it.
class Sage3Head {
 public:
  Sage3Head(Device&, const Problem&, const Sage3&);
  /// CodedOperand::bytes of all three, ScaledUnitValues::bytes of K, transposed, and of V, with zeros up to whole
  /// tiles of keys where masks go by memory, and 4 bytes for a score of each of those, a weight of each of a tile, two
  /// scales of sixteen of those, a scale of sixteen channels, and O twice.
  static index bytes(const Problem&, const Sage3&);

  /// Codes the operands of one head.
  void take(const Arguments&, index batch, index head);
  /// Attends to the first `keys` keys: O of one query is in out() then.
  void attend(index query, index keys);
  const float* out() const { return out_.data(); }

 private:
  void find_scores(index query);
  index in_tile(index first) const { return std::min(Sage3::tile, keys_of_tiles_ - first); }
  void hide(index first, index count);
  void take_in(index first, bool is_first, bool is_dropped);
  void code_weights(index first, float maximum);

  const Problem& problem_;
  Sage3 algorithm_;
  index dim_, keys_of_tiles_;  ///< channels, and keys with those of zeros that count
  float scale_log2_e_;
  CodedOperand queries_, keys_, values_;
  ScaledUnitValues keys_by_channel_, values_by_key_;
  Allocation<float> scores_, weights_, largest_, weight_scales_, query_scales_, sums_, out_;
  float m_ = 0, l_ = 0;
};

}  // namespace attestone::inline backends
