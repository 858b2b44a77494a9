// SPDX-License-Identifier: Apache-2.0
// The bounds of one row of a kernel that computes with codes: what the codes do, known exactly, and what rounding does
// to an answer made of them (docs/tolerance.md, "Codes").
#pragma once

#include "reference/error_bound/forward/forward_row.hpp"
#include "reference/error_bound/rounding.hpp"
#include "reference/quantization/coded_problem.hpp"

namespace attestone {

/// The decoded values of a kernel's codes.
struct CodedInputs {
  CodedInputs(const Problem& problem, const Inputs& inputs, const Numerics& numerics)
      : coded(problem, inputs, numerics), decoded(coded.problem(), coded.inputs(), coded.slack()) {}

  CodedProblem coded;
  DecodedInputs decoded;
};

/// The scaled term that a row's log_sum_exp gets back where K lost its mean, and how far a kernel's may be from it,
/// apart from the error of adding it. Infinite beyond the range of score.mean_product.
struct GivenBack {
  double value = 0, error = 0;
};
GivenBack given_back(const CodedProblem&, const Numerics&, double scale, index batch, index head, index query);

/// The mean that O of a channel (`out` without it) gets back where V lost its mean, and its share in the error of
/// rounding and storing the sum. Infinite near the end of the range of O.
GivenBack value_given_back(const CodedProblem&, const Numerics&, index batch, index head, index channel, double out);

/// Around the answer to what was given. The answer to the codes is as far from that as it is.
class CodedRow final : public RowBound {
 public:
  /// `numerics` without codes; all must outlive the row.
  CodedRow(const DecodedInputs& given, const CodedInputs&, const Numerics&, index batch, index head, index query);

  index visible_keys() const override { return given_.visible_keys(); }
  double out(index channel) const override { return coded_.out(channel) + moved(channel); }
  double out_probabilistic(index channel) const override { return coded_.out_probabilistic(channel) + moved(channel); }
  double out_probabilistic_at_least(index channel) const override {
    return coded_.out_probabilistic_at_least(channel) + moved(channel);
  }
  double log_sum_exp() const override { return coded_.log_sum_exp() + moved_log_sum_exp(); }
  double log_sum_exp_probabilistic() const override { return coded_.log_sum_exp_probabilistic() + moved_log_sum_exp(); }
  double log_sum_exp_probabilistic_at_least() const override {
    return coded_.log_sum_exp_probabilistic_at_least() + moved_log_sum_exp();
  }
  double max_logits() const override { return infinity; }
  double mean_value(index channel) const override { return given_.mean_value(channel); }
  /// Times a weight that is cast to 0, it is.
  bool infinity_may_be_nan() const override { return coded_.infinity_may_be_nan() || coded_.weights().underflows > 0; }
  bool reads_codes_of_no_number() const override;
  GainTerms gain_terms(std::span<const double> direction) const override;

 private:
  double moved(index channel) const;
  double moved_log_sum_exp() const;

  ForwardRow given_, coded_;
  GivenBack given_back_;
  std::vector<GivenBack> given_to_out_;  ///< by channel
  double sum_roundoff_;                  ///< of log_sum_exp and the product with the mean
};

}  // namespace attestone
