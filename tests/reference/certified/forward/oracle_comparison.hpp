// SPDX-License-Identifier: Apache-2.0
// A truth against MPFR: bounds that are violated, roundings that are wrong.
#pragma once

#include <string>

#include "reference/certified/forward/truth.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"

namespace attestone {

/// A small problem of any mask, score, format, layout and lengths.
Problem problem_with_features(Random&);

/// Counts of what was seen of some truths.
struct Tally {
  Decisions decisions;
  double worst_ratio = 0;  ///< error / bound, of elements decided in double
  index violations = 0, wrong_roundings = 0;
  std::string worst;  ///< the last violation
};

/// Compares every element; does not count decisions.
void compare_with_oracle(const Problem&, const Inputs&, const Truth&, Tally&);

}  // namespace attestone
