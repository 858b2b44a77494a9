// SPDX-License-Identifier: Apache-2.0
// No bound of a gradient is ever violated, and every rounding that is called decided is correct: against MPFR.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/reference/certified/gradient_comparison.hpp"

namespace attestone {
namespace {

TEST(CertifyBackward, NeverLeavesItsBoundAndNeverRoundsWrongly) {
  fmt::print("{:18} {:>9} {:>9} {:>9} {:>12}\n", "fill", "elements", "decided", "zero", "error/bound");
  const index elements = effort(10'000, 1'000'000) / static_cast<index>(adversarial_fills().size());
  Random random(20240608);
  for (const AdversarialFill& fill : adversarial_fills()) {
    GradientTally tally;
    while (tally.elements < elements) {
      const Problem problem = backward_problem_with_features(random);
      Inputs inputs(problem);
      fill.fill(problem, inputs, random);
      compare_with_oracle(problem, inputs, certify_backward(problem, inputs), tally);
      ASSERT_EQ(tally.violations, 0) << fill.name << ": " << problem.text() << "\n" << tally.worst;
      ASSERT_EQ(tally.wrong_roundings, 0) << fill.name << ": " << problem.text() << "\n" << tally.worst;
    }
    fmt::print("{:18} {:9} {:9} {:9} {:12.3g}\n", fill.name, tally.elements, tally.decided, tally.zeros,
               tally.worst_ratio);
  }
}

}  // namespace
}  // namespace attestone
