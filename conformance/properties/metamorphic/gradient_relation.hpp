// SPDX-License-Identifier: Apache-2.0
// Relations of gradients: another backward call whose right answer follows from that of a trial.
#pragma once

#include "conformance/properties/metamorphic/relation.hpp"

namespace attestone::inline conformance {

/// Another call of both passes, and its right gradients.
struct RelatedBackwardCall {
  Problem problem;
  Inputs inputs;
  GradientTruth truth;
};

/// Judges both passes of the kernel by the gradients of the other call, as judged() does by answers.
Verdict judged(Trial&, const RelatedBackwardCall&, std::string_view reason, const std::string& circumstances);

/// The sum of one gradient over its rows, or of a bias over its keys: what it is, and what it may err by.
struct SumOfGradients {
  double got = 0, allowed = 0;

  /// `error` is the bound of one element.
  void add(double element, double error);
  /// True if 0 is ruled out, in spite of what the additions here rounded; never where bounds are infinite.
  bool is_not_zero() const;

 private:
  double magnitude_ = 0;
  index terms_ = 0;
};

/// Why sums of the kernel's gradients say nothing: rows without keys send what is right by its convention. Empty if
/// they do.
std::string without_sums(const Trial&);

/// Inputs of the problem with another seed: what is known of sums of gradients holds of them as well.
Inputs other_inputs(const Problem&);

/// The kernel's gradients for other_inputs(), and what they may err by.
struct OtherGradients {
  explicit OtherGradients(Trial&);
  Gradients got;
  GradientBounds bounds;

 private:
  OtherGradients(Trial&, const Inputs&);
};

/// Judges if a gradient of other_inputs() adds up to 0 along an axis, 2 or 3; `name` as in "dkey".
Verdict adds_up_to_zero(std::string_view name, const ConstView& gradient, const ElementBounds&, std::size_t axis);

}  // namespace attestone::inline conformance
