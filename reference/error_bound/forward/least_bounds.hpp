// SPDX-License-Identifier: Apache-2.0
// Lower limits of the bounds of every row: from the declaration and the right answer alone.
#pragma once

#include "reference/certified/forward/truth.hpp"
#include "reference/numerics/numerics.hpp"

namespace attestone {

/// A kernel that is exact but for a few roundings is one of those that every bound is about: so much it may err
/// (docs/tolerance.md, "The least bounds"). Neither the deterministic nor the probabilistic bound is less.
class LeastBounds {
 public:
  explicit LeastBounds(const Numerics&);

  /// The least bound of an element of O, log_sum_exp or max_logits whose truth is finite.
  double out(const Certified& truth) const { return relative_of_out_ * at_least(truth); }
  double log_sum_exp(const Certified& truth) const { return relative_of_log_ * at_least(truth) + absolute_of_log_; }
  double max_logits(const Certified& truth) const { return relative_of_maximum_ * at_least(truth); }

 private:
  static double at_least(const Certified&);

  double relative_of_out_, relative_of_log_, absolute_of_log_, relative_of_maximum_;
};

}  // namespace attestone
