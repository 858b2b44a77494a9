// SPDX-License-Identifier: Apache-2.0
// The bound of the double-double stage is what docs/certified.md counts, seen where the answer is a double and so
// nothing else stands in the bound.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/reference/certified/forward/oracle_comparison.hpp"

namespace attestone {
namespace {

const auto one = [](index, index) { return 1.0; };
const auto zero = [](index, index) { return 0.0; };

template <class Query, class Key, class Value, class BiasOf>
Truth certified(std::string_view text, Query query, Key key, Value value, BiasOf bias) {
  const Problem problem = parse_problem(text);
  Inputs inputs(problem);
  set_all(inputs.query, query), set_all(inputs.key, key), set_all(inputs.value, value);
  if (inputs.bias) set_all(*inputs.bias, bias);
  if (inputs.sink) set_all(*inputs.sink, bias);
  return certify_forward(problem, inputs);
}

void expect_bound(const Certified& found, double by_hand, const std::string& what) {
  EXPECT_TRUE(found.decided) << what;
  EXPECT_GE(found.bound, by_hand * (1 + 0x1p-19)) << what;
  EXPECT_LE(found.bound, by_hand * (1 + 0x1p-16)) << what;
}

constexpr double unit = 0x1p-100, of_cap = 0x1p-92 + 2 * unit;
/// Compensated sums of n terms.
double compensated(double n) { return 4 * (n + 2) * (n + 2) * 0x1p-106; }
/// Scores of at most `raw`, with or without a softcap.
double of_scores(double raw, double dim, double capped) { return raw * (compensated(dim) + unit) + capped * of_cap; }

/// An answer of 1, from scores of this error.
double wide(double scores, double keys) {
  const double tau = scores + 0x1p-94, sigma = compensated(keys), lambda = compensated(keys + 1) + 2 * unit;
  return (tau + sigma) + (tau + lambda + 2 * unit);
}

TEST(WideBound, CountsKeysAndChannels) {
  for (const index keys : {2, 30, 200})
    for (const index dim : {1, 20, 300}) {
      const auto text = fmt::format("shape=1x1x1x{}x{}:1 dtype=f64 scale=2", keys, dim);
      const Truth truth = certified(text, one, one, one, zero);
      const auto n = static_cast<double>(keys), d = static_cast<double>(dim);
      expect_bound(truth.out(0, 0, 0, 0), wide(of_scores(2 * d, d, 2 * d), n), text);
    }
}

TEST(WideBound, CountsSoftcapsBiasesAndSinks) {
  const auto big = [](index, index) { return 1000.0; };
  const Truth capped = certified("shape=1x1x1x2x1:1 dtype=f64 scale=1 score=softcap:2", one, big, one, zero);
  expect_bound(capped.out(0, 0, 0, 0), wide(of_scores(1000, 1, 2), 2), "softcap");
  const Truth biased = certified("shape=1x1x1x2x1:1 dtype=f64 scale=1 score=bias:full", one, one, one, big);
  expect_bound(biased.out(0, 0, 0, 0), wide(of_scores(1, 1, 1) + 1001 * unit, 2), "bias");
  const auto low = [](index, index) { return -1000.0; };
  const Truth sink = certified("shape=1x1x1x2x1:1 dtype=f64 scale=1 score=sink:head", zero, one, one, low);
  expect_bound(sink.out(0, 0, 0, 0), wide(1000 * unit, 2), "sink");
}

/// A single key of score 1: its own evaluation is nearly all that may be wrong with log_sum_exp.
TEST(WideBound, CountsTheLogarithm) {
  const Certified found = certified("shape=1x1x1x1x1:1 dtype=f64 scale=1", one, one, one, zero).log_sum_exp(0, 0, 0);
  const double tau = of_scores(1, 1, 1) + 0x1p-94, lambda = compensated(2) + 2 * unit;
  const double by_hand = tau + lambda + 0x1p-90 * (1 + 1 + (1 - std::log(2)));
  EXPECT_GE(found.bound, by_hand);
  EXPECT_LE(found.bound, by_hand * (1 + 0x1p-10)) << "and what the value lacks of a double-double";
}

/// Values that cancel, and are too small for double to see it, beside huge ones: lost weights are all that is left.
TEST(WideBound, CountsLostWeights) {
  const auto value = [](index key, index c) { return c == 1 ? 0x1p833 : key == 0 ? 0x1p-100 : -0x1p-100; };
  const Truth truth = certified("shape=1x1x1x2x1:2 dtype=f64>f32 scale=1", zero, one, value, zero);
  expect_bound(truth.out(0, 0, 0, 0), (2 * 2 + 1) * 16 * 0x1p-1000 * 0x1p833, "lost weights");
}

/// Scores of 2^e and ten less: where the range reduction of exp ends, double and double-double know nothing.
TEST(WideBound, EndsWithTheRangeReduction) {
  for (int exponent = 18; exponent < 40; ++exponent)
    for (const double sign : {-1.0, 1.0}) {
      const Problem problem = parse_problem("shape=1x1x1x2x1:1 dtype=f64 score=bias:full");
      Inputs inputs(problem);
      for (Tensor* tensor : {&inputs.query, &inputs.key}) set_all(*tensor, zero);
      set_all(inputs.value, [](index key, index) { return key == 0 ? 1 : 1.0 / 3; });
      set_all(*inputs.bias, [&](index, index key) { return sign * std::ldexp(1, exponent) + (key == 0 ? 10.3 : 0); });
      for (const bool escalate : {false, true}) {
        Tally tally;
        compare_with_oracle(problem, inputs, certify_forward(problem, inputs, {.queries = {}, .escalate = escalate}),
                            tally);
        EXPECT_EQ(tally.violations + tally.wrong_roundings, 0) << sign << " " << exponent << "\n" << tally.worst;
      }
    }
}

}  // namespace
}  // namespace attestone
