// SPDX-License-Identifier: Apache-2.0
// Rounding errors of one forward answer: bounds that follow from a declared arithmetic and the inputs.
#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "reference/call/tensors.hpp"
#include "reference/error_bound/forward/least_bounds.hpp"
#include "reference/error_bound/gain.hpp"
#include "reference/numerics/numerics.hpp"
#include "reference/quantization/operand_slack.hpp"

namespace attestone {

class DecodedInputs;
struct CodedInputs;

/// The bounds of one row (batch, head, query). Infinite where an intermediate may leave the range of its format: then
/// nothing can be said (docs/tolerance.md, "Range").
class RowBound {
 public:
  virtual ~RowBound() = default;

  virtual index visible_keys() const = 0;
  /// B_c: no kernel with the declared arithmetic errs by more.
  virtual double out(index channel) const = 0;
  /// The probabilistic bound at lambda = 9; never above out(). Sorts the row's quantities: ask only when it matters.
  virtual double out_probabilistic(index channel) const = 0;
  /// A number that out_probabilistic() is never below, and which is cheap.
  virtual double out_probabilistic_at_least(index channel) const = 0;
  /// out() and out_probabilistic_at_least() of all channels.
  virtual void all_of_out(std::span<double> deterministic, std::span<double> at_least) const;
  virtual double log_sum_exp() const = 0;
  virtual double log_sum_exp_probabilistic() const = 0;
  /// A number that log_sum_exp_probabilistic() is never below, and which is cheap.
  virtual double log_sum_exp_probabilistic_at_least() const { return 0; }
  /// The bound of max_logits, which is deterministic. One score decides it, and no law of large numbers helps.
  virtual double max_logits() const = 0;
  /// The mean of V over the visible keys, after dropout: an answer that shows no knowledge of Q and K.
  virtual double mean_value(index channel) const = 0;
  /// True if NaN is as right as an infinite truth: parts are merged by differences of their answers (form B).
  virtual bool infinity_may_be_nan() const = 0;
  /// True if the row reads codes of what is not finite: they may stand for any number.
  virtual bool reads_codes_of_no_number() const { return false; }
  /// The error that rounding may cause in <out, direction>, one number for each channel. Needs finite bounds.
  virtual GainTerms gain_terms(std::span<const double> direction) const = 0;
};

/// Bounds for every row of a problem on these inputs (which must outlive it; they are decoded when the first row is
/// asked for). Safe to use from several threads.
class ForwardBound {
 public:
  /// The slack must outlive the bound.
  ForwardBound(const Problem&, const Inputs&, const Numerics&, const OperandSlack& = {});
  ~ForwardBound();

  /// A row must not outlive what it came from.
  std::unique_ptr<RowBound> row(index batch, index head, index query) const&;
  std::unique_ptr<RowBound> row(index batch, index head, index query) const&& = delete;
  /// The least bounds of all rows.
  const LeastBounds& least() const { return least_; }

 private:
  Problem problem_;
  const Inputs& inputs_;
  OperandSlack slack_;
  Numerics numerics_, without_codes_;
  LeastBounds least_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const DecodedInputs> decoded_;
  mutable std::unique_ptr<const CodedInputs> coded_;  ///< of a kernel that computes with codes
};

}  // namespace attestone
