// SPDX-License-Identifier: Apache-2.0
// The problem that a kernel solves which computes with codes: that of the numbers for which its codes stand.
#pragma once

#include <vector>

#include "reference/call/tensors.hpp"
#include "reference/numerics/numerics.hpp"
#include "reference/quantization/operand_slack.hpp"

namespace attestone {

/// True if a kernel says exactly which codes it computes with.
bool computes_with_codes(const Numerics&);

/// Returns the arithmetic on operands that are already the values of its codes.
Numerics without_codes(Numerics);

/// How far the product of a query with a mean of K may be from what it should be, as a share of sum_c |q_c k_c|, but
/// for what leaves the normal numbers.
double mean_product_roundoff(const ScoreStage&, index dim);

/// Its answer is what the kernel's would be without an error but those of its codes (docs/quantized.md). Operands are
/// f64 and packed; all else is the original's.
///
/// Where K is given less its mean, log_sum_exp lacks the product of the query with that; where V is, O lacks that mean.
/// Terms given back to scores are in further channels, of which q k makes all products: behind the codes of Q the
/// mean that its row lost, and behind those of K the key itself; then, where K is coded in parts that lose means of
/// their own, the query itself and the mean of its part.
class CodedProblem {
 public:
  /// The forward pass alone.
  CodedProblem(const Problem&, const Inputs&, const Numerics&);

  const Problem& problem() const { return problem_; }
  const Inputs& inputs() const { return inputs_; }

  /// The term that a row's log_sum_exp lacks, before it is scaled: q k, of the mean k of K.
  struct MeanProduct {
    double value = 0;
    double size = 0;  ///< sum_c |q_c k_c|, at most
    double gap = 0;   ///< how far from `value` it is with the mean of a kernel
  };
  MeanProduct mean_product(index batch, index head, index query) const;

  /// The mean that O of a channel lacks, and its distance from a kernel's mean.
  struct ValueMean {
    double value = 0, gap = 0;
  };
  ValueMean value_mean(index batch, index head, index channel) const;

  /// How far a kernel's numbers may be from those of inputs(). It must not outlive this.
  OperandSlack slack() const { return {query_slack_, key_slack_, value_slack_}; }

 private:
  void take_queries(const Problem&, const Inputs&, const ScoreStage&);
  void take_keys(const Problem&, const Inputs&, const ScoreStage&);
  void take_values(const Problem&, const Inputs&, const OperandCodes&);

  Problem problem_;
  Inputs inputs_;
  index dim_;                                     ///< of the original
  std::vector<double> queries_;                   ///< [batch, heads, queries, dim] as given, where K has a mean
  std::vector<double> means_;                     ///< [batch, kv_heads, dim] of K
  std::vector<double> gaps_;                      ///< of the same: how far a kernel's may be from them
  std::vector<double> value_means_, value_gaps_;  ///< [batch, kv_heads, value_dim]
  std::vector<double> query_slack_, key_slack_, value_slack_;
};

}  // namespace attestone
