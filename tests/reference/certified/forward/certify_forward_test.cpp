// SPDX-License-Identifier: Apache-2.0
// No bound is ever violated, and every rounding that is called decided is correct: against MPFR, on hard inputs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/reference/certified/forward/oracle_comparison.hpp"

namespace attestone {
namespace {

void add(Decisions& sum, const Decisions& d) {
  sum.in_double += d.in_double;
  sum.in_double_double += d.in_double_double;
  sum.in_mpfr += d.in_mpfr;
  sum.ties += d.ties;
  sum.undecided += d.undecided;
}

TEST(CertifyForward, NeverLeavesItsBoundAndNeverRoundsWrongly) {
  fmt::print("{:18} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>12}\n", "fill", "elements", "double", "dbl-dbl", "MPFR",
             "ties", "undecided", "error/bound");
  const index elements = effort(10'000, 1'000'000) / static_cast<index>(adversarial_fills().size());
  Random random(20240607);
  for (const AdversarialFill& fill : adversarial_fills()) {
    Tally tally;
    while (tally.decisions.total() < elements) {
      const Problem problem = problem_with_features(random);
      Inputs inputs(problem);
      fill.fill(problem, inputs, random);
      const Truth truth = certify_forward(problem, inputs);
      compare_with_oracle(problem, inputs, truth, tally);
      add(tally.decisions, truth.decisions);
      ASSERT_EQ(tally.violations, 0) << fill.name << ": " << problem.text() << "\n" << tally.worst;
      ASSERT_EQ(tally.wrong_roundings, 0) << fill.name << ": " << problem.text();
    }
    const Decisions& d = tally.decisions;
    fmt::print("{:18} {:9} {:9} {:9} {:9} {:9} {:9} {:12.3g}\n", fill.name, d.total(), d.in_double, d.in_double_double,
               d.in_mpfr, d.ties, d.undecided, tally.worst_ratio);
  }
}

}  // namespace
}  // namespace attestone
