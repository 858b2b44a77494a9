// SPDX-License-Identifier: Apache-2.0
// Attention with codes: scores from 8 or 4 bits, weights and values in half or quarter precision.
#pragma once

#include "backends/cpu/quantized_kernels/algorithm.hpp"
#include "backends/kernel.hpp"
#include "backends/setting.hpp"

namespace attestone::inline backends {

/// FlashAttention over tiles of keys whose operands are codes, as SageAttention and FlashAttention-3 compute it
/// (sage_algorithms.hpp and flash3_kernel.cpp name the sources):
///
///     q, k = codes(Q), codes(K - mean K)                   codes share scales by head, block, warp or thread
///     S = (q . k) scale_q scale_k                          in powers of 2
///     P = exp2(S - m), O = alpha O + cast(P) cast(V)       for each tile of keys
///
/// Products of integers are exact, all others are those of the tensor core, to the last bit. Exponentials, logarithms
/// and reciprocals are correct to an ulp, where a GPU's are to two. Keys behind the last one and hidden ones, which
/// SageAttention gives scores of -10^6 or -5 10^6, have no weight here, whatever the others score.
class CodedAttention final : public Kernel {
 public:
  using AlgorithmOf = CodedAlgorithm (*)(const Settings&, const Problem&);

  /// The kernel of that entry of the catalogue.
  CodedAttention(std::string entry, const Settings& settings, AlgorithmOf algorithm,
                 AnsweredTensors outputs = AnsweredTensors::out_and_log_sum_exp)
      : entry_(std::move(entry)), settings_(settings), algorithm_(algorithm), outputs_(outputs) {}

  std::string name() const override;
  /// taken_row_by_row; sequences of any length where they are packed; where rows are rotated, dims that are powers of
  /// two.
  Support supports(const Problem&) const override;
  Numerics numerics(const Problem&) const override;
  /// A number that is not finite spreads to all that share its scale, or the mean.
  Conventions conventions() const override {
    return {.outputs = outputs_, .hidden_nonfinite = HiddenNonfinite::propagates};
  }
  /// CodedHead::bytes: one head at a time.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;

 private:
  CodedAlgorithm algorithm_for(const Problem& problem) const { return algorithm_(settings_, problem); }

  std::string entry_;
  Settings settings_;
  AlgorithmOf algorithm_;
  AnsweredTensors outputs_;
};

}  // namespace attestone::inline backends
