// SPDX-License-Identifier: Apache-2.0
// One head by codes: first these, then row by row the online softmax over tiles of keys.
#pragma once

#include "backends/cpu/quantization/coded_operand.hpp"
#include "backends/cpu/quantization/integer_rows.hpp"
#include "backends/cpu/quantization/unit_values.hpp"
#include "backends/cpu/quantized_kernels/algorithm.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// The memory of one head, and the work on it.
class CodedHead {
 public:
  CodedHead(Device&, const Problem&, const CodedAlgorithm&);
  /// CodedOperand::bytes of queries and keys, and of V if that is coded, else 4 * keys * dim; UnitValues::bytes of V
  /// and of key_tile ones; where a unit makes the scores, UnitValues::bytes of dim rows of keys and 4 * keys * dim,
  /// else IntegerRows::bytes of keys; 4 * (2 * keys + 3 * dim + 3 * key_tile) for a row.
  static index bytes(const Problem&, const CodedAlgorithm&);

  /// Codes the operands of one head.
  void take(const Arguments&, index batch, index head);
  /// Attends to the first `keys` keys: O of one query is in out() then, and its log_sum_exp is returned.
  float attend(index query, index keys);
  const float* out() const { return out_.data(); }

 private:
  void take_keys();
  void take_values(const ConstView&, index batch, index kv_head);
  void multiply(index query, index keys);
  float given_back(index query, index key) const;
  void find_scores(index query, index first, index count, bool scaled);
  void take_in(index first, index count);
  void add_weighted(index first, index count, float alpha);
  void divide();
  void add_value_mean();
  float mean_product(index query);

  const Problem& problem_;
  CodedAlgorithm algorithm_;
  index dim_;
  float scale_, scale_log2_e_;
  CodedOperand queries_, keys_;
  std::optional<CodedOperand> coded_values_;
  Allocation<float> values_in_f16_;
  UnitValues values_, ones_;
  std::optional<IntegerRows> integer_keys_;    ///< where scores are products of integers
  std::optional<UnitValues> keys_by_channel_;  ///< where a unit makes them
  Allocation<float> keys_transposed_;          ///< then: [dim, keys]
  Allocation<float> key_scales_, products_;    ///< of all keys; the latter of the codes of one query with theirs
  Allocation<float> out_, sums_, given_query_;
  Allocation<float> scores_, factors_, weights_;  ///< of a tile; a score is multiplied by its factor
  std::optional<ConstView> given_queries_;
  index batch_ = 0, head_ = 0;
  Sequence own_;
  float m_ = 0, l_ = 0;
};

}  // namespace attestone::inline backends
