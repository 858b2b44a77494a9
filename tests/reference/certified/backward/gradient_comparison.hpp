// SPDX-License-Identifier: Apache-2.0
// Certified gradients against MPFR: bounds that are violated, roundings that are wrong.
#pragma once

#include <string>

#include "reference/certified/backward/gradient_truth.hpp"
#include "tests/reference/certified/forward/oracle_comparison.hpp"

namespace attestone {

/// A problem of problem_with_features, with pass=forward+backward.
Problem backward_problem_with_features(Random&);

/// Counts of what was seen of some truths.
struct GradientTally {
  index elements = 0, decided = 0;
  index zeros = 0;         ///< known to be exactly 0
  double worst_ratio = 0;  ///< error / bound, where the oracle can tell
  index violations = 0, wrong_roundings = 0;
  std::string worst;  ///< the last violation
};

/// Compares every element that was certified.
void compare_with_oracle(const Problem&, const Inputs&, const GradientTruth&, GradientTally&);

}  // namespace attestone
