// SPDX-License-Identifier: Apache-2.0
// One term of the double bound at a time, attained by more than half: a bound with half that term would be violated, or
// nearly so.
//
// Not attained, because they are worst cases over all arguments and tables that nobody can aim at: exp_error,
// tanh_error and log_error (elementary_test.cpp shows what is seen); and cap_error, which follows from tanh_error. What
// only the ends of double reach is in bound_extremes_test.cpp; the counts themselves are in double_bound_test.cpp.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/certified/forward/truth.hpp"
#include "reference/certified/numbers/elementary.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"
#include "tests/reference/certified/forward/mpfr_oracle.hpp"

namespace attestone {
namespace {

constexpr double u = unit_double;
/// Just less than what a sum a little above 1 swallows.
constexpr double swallowed = 0.99 * u;

/// Errors of the double stage, of output channel 0 and log_sum_exp of the only row.
struct Errors {
  double out, out_bound, log_sum_exp, log_sum_exp_bound;
};

template <class Query, class Key, class Value>
Errors errors(std::string_view text, Query query, Key key, Value value) {
  const Problem problem = parse_problem(text);
  Inputs inputs(problem);
  set_all(inputs.query, query);
  set_all(inputs.key, key);
  set_all(inputs.value, value);
  const Truth truth = certify_forward(problem, inputs, {.queries = {}, .escalate = false});
  const OracleRow exact = oracle_row(problem, inputs, 0, 0, 0);
  const Certified &out = truth.out(0, 0, 0, 0), &log_sum_exp = truth.log_sum_exp(0, 0, 0);
  const Errors found{exact.out[0]->distance(out.value), out.bound, exact.log_sum_exp->distance(log_sum_exp.value),
                     log_sum_exp.bound};
  fmt::print("  out {:.3f} of its bound, log_sum_exp {:.3f}\n", found.out / found.out_bound,
             found.log_sum_exp / found.log_sum_exp_bound);
  EXPECT_LE(found.out, found.out_bound);
  EXPECT_LE(found.log_sum_exp, found.log_sum_exp_bound);
  return found;
}

/// Products of at most u times the first one vanish in q.k, from the score of key 0 upwards, of key 1 downwards.
Errors swallowed_products(index dim, double direction_of_key_1) {
  const double root = std::sqrt(swallowed), score = 1024 * (1 + 0x1p-10);
  return errors(
      fmt::format("shape=1x1x1x2x{}:1 dtype=f64 scale=1", dim), [&](index, index c) { return c == 0 ? 1 : root; },
      [&](index key, index c) { return c == 0 ? score : 1024 * root * (key == 0 ? 1 : direction_of_key_1); },
      [](index key, index) { return key == 0 ? 1 : -1; });
}

TEST(BoundTerms, DotProductsMoveWeights) {
  for (const index dim : {16, 64, 128}) {
    const Errors found = swallowed_products(dim, -1);
    EXPECT_GT(found.out, 0.5 * found.out_bound) << dim;
  }
}

TEST(BoundTerms, DotProductsMoveLogSumExp) {
  for (const index dim : {16, 64, 128}) {
    const Errors found = swallowed_products(dim, 1);
    EXPECT_GT(found.log_sum_exp, 0.5 * found.log_sum_exp_bound) << dim;
  }
}

/// scale * q.k rounded up for one key and down for the other; both scores just above a power of two.
TEST(BoundTerms, ScalingMovesWeights) {
  constexpr double scale = 0.318309886183790671, smallest = 0x1.00001p18 / scale;
  double up = smallest, down = smallest, most_up = 0, most_down = 0;
  for (int i = 1; i < 1000; ++i) {
    const double k = smallest + 0x1p-33 * i, rounding = std::fma(k, scale, -(k * scale));
    if (rounding > most_down) most_down = rounding, down = k;
    if (-rounding > most_up) most_up = -rounding, up = k;
  }
  const Errors found = errors(
      "shape=1x1x1x2x1:1 dtype=f64 scale=0.318309886183790671", [](index, index) { return 1; },
      [&](index key, index) { return key == 0 ? up : down; }, [](index key, index) { return key == 0 ? 1 : -1; });
  EXPECT_GT(found.out, 0.5 * found.out_bound);
}

/// Four values make up the sum, sixty are too small for it to notice; all weights are equal.
TEST(BoundTerms, SumsOfValues) {
  const Errors found = errors(
      "shape=1x1x1x64x1:1 dtype=f64", [](index, index) { return 0; }, [](index, index) { return 0; },
      [](index key, index) { return key < 4 ? (1 + 0x1p-10) / 4 : swallowed; });
  EXPECT_GT(found.out, 0.5 * found.out_bound);
}

/// Four weights of 1, and sixty of which four together are too small for the total: everything else is exact. The term
/// stands beside that of the sums, which is larger, so the error is compared with it alone: (16 + 2 + 1) u |out|.
TEST(BoundTerms, TotalsOfWeights) {
  const Errors found = errors(
      "shape=1x1x1x64x1:1 dtype=f64 scale=1", [](index, index) { return 1; },
      [](index key, index) { return key < 4 ? 0 : std::log(swallowed); },
      [](index key, index) { return key < 4 ? 1 : 0; });
  EXPECT_GT(found.out, 0.5 * 19 * u);
}

}  // namespace
}  // namespace attestone
