// SPDX-License-Identifier: Apache-2.0
// One head as SageAttention computes it: its codes, and row by row the online softmax over tiles of keys.
#pragma once

#include "backends/cpu/coded/algorithm.hpp"
#include "backends/cpu/quantized/coded_operand.hpp"
#include "backends/cpu/quantized/unit_values.hpp"
#include "backends/kernel.hpp"

namespace attestone {

/// The memory of one head, and the work on it.
class CodedHead {
 public:
  CodedHead(Device&, const Problem&, const CodedAlgorithm&);
  /// CodedOperand::bytes of queries and keys, and of V if that is coded, else 4 * keys * dim; UnitValues::bytes of V
  /// and of key_tile ones; 4 * (3 * dim + 3 * key_tile) for a row.
  static index bytes(const Problem&, const CodedAlgorithm&);

  /// Codes the operands of one head.
  void take(const Arguments&, index batch, index head);
  /// Attends to the first `keys` keys: O of one query is in out() then, and its log_sum_exp is returned.
  float attend(index query, index keys);
  const float* out() const { return out_.data(); }

 private:
  void take_values(const ConstView&, index batch, index kv_head);
  void find_scores(index query, index first, index count, bool scaled);
  void take_in(index first, index count);
  void cast_weights(index count);
  void add_weighted(index first, index count, float alpha);
  void divide();
  float mean_product(index query);

  const Problem& problem_;
  CodedAlgorithm algorithm_;
  index dim_;
  float scale_, scale_log2_e_;
  CodedOperand queries_, keys_;
  std::optional<CodedOperand> coded_values_;
  Allocation<float> values_in_f16_;
  UnitValues values_, ones_;
  Allocation<float> out_, sums_, given_query_;
  Allocation<float> scores_, factors_, weights_;  ///< of a tile; a score is multiplied by its factor
  std::optional<ConstView> given_queries_;
  index batch_ = 0, head_ = 0;
  float m_ = 0, l_ = 0;
};

}  // namespace attestone
