// SPDX-License-Identifier: Apache-2.0
// Writing the row down, its answer in extended precision, and its bounds.
#include "tests/reference/error_bound/forward/bare_row.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "reference/error_bound/forward/forward_bound.hpp"

namespace attestone::emulation {

Numerics faultless() {
  Numerics numerics;
  set_accumulators(
      numerics,
      {.roundoff = 0x1p-80, .truncates = false, .largest = std::numeric_limits<double>::infinity(), .underflow = 0});
  for (Cast* cast : {&numerics.score.prescale, &numerics.score.stored, &numerics.weight.cast, &numerics.merge.out,
                     &numerics.gradient.cast, &numerics.output.cast})
    cast->largest = std::numeric_limits<double>::infinity();
  return numerics;
}

long double exact_answer(const BareRow& row) {
  const long double m = *std::max_element(row.scores.begin(), row.scores.end());
  long double sum = 0, denominator = 0;
  for (std::size_t j = 0; j < row.scores.size(); ++j) {
    denominator += std::exp(row.scores[j] - m);
    sum += std::exp(row.scores[j] - m) * row.values[j];
  }
  return sum / (denominator * (1 - static_cast<long double>(row.problem.dropout)));
}

double bound_of(const BareRow& row) {
  const ForwardBound bound(row.problem, row.inputs, row.numerics);
  return bound.row(0, 0, 0)->out(0);
}

BoundShares shares(const BareRow& row, long double answer) {
  const ForwardBound bound(row.problem, row.inputs, row.numerics);
  const auto here = bound.row(0, 0, 0);
  const auto error = static_cast<double>(std::abs(answer - exact_answer(row)));
  EXPECT_LE(here->out_probabilistic_at_least(0), here->out_probabilistic(0));
  return {error / here->out(0), error / here->out_probabilistic(0)};
}

void expect_reached(const BareRow& row, long double answer, const BoundShares& least) {
  const BoundShares reached = shares(row, answer);
  fmt::print("  r_det {:.3f}, r_prob {:.3f}: {}\n", reached.deterministic, reached.probabilistic,
             testing::UnitTest::GetInstance()->current_test_info()->name());
  EXPECT_LE(reached.deterministic, 1);
  EXPECT_LE(reached.probabilistic, 1);
  EXPECT_GE(reached.deterministic, least.deterministic);
  EXPECT_GE(reached.probabilistic, least.probabilistic);
}

}  // namespace attestone::emulation
