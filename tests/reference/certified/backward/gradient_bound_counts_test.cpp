// SPDX-License-Identifier: Apache-2.0
// The bounds of gradients are what docs/certified.md counts, each of its numbers written down here once more, where few
// keys share all weight evenly.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/certified/backward/gradient_truth.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"

namespace attestone {
namespace {

constexpr double u = 0x1p-53;
const auto one = [](index, index) { return 1.0; };
const auto zero = [](index, index) { return 0.0; };
/// Numbers of opposite sign for the two keys of each pair.
const auto opposed = [](index key, index) { return key % 2 ? -1.0 : 1.0; };

template <class Query, class Key, class Value, class Dout>
GradientTruth certified(const std::string& text, Query query, Key key, Value value, Dout dout) {
  const Problem problem = parse_problem(text + " dtype=f64 pass=forward+backward");
  Inputs inputs(problem);
  set_all(inputs.query, query), set_all(inputs.key, key), set_all(inputs.value, value), set_all(*inputs.dout, dout);
  for (auto* tensor : {&inputs.bias, &inputs.sink})
    if (*tensor) set_all(**tensor, zero);
  return certify_backward(problem, inputs);
}

void expect_bound(const Certified& found, double by_hand, const std::string& what) {
  EXPECT_GE(found.bound, by_hand * (1 + 0x1p-19)) << what;
  EXPECT_LE(found.bound, by_hand * (1 + 0x1p-15)) << what;
}

/// The errors of one row, as docs/certified.md has them; X = dP - delta, and a = dO.v.
struct RowErrors {
  RowErrors(double of_scores, double words) : tau(of_scores + 4 * u), sum((66 + words) * u) {}
  double weight() const { return 2 * tau + sum + 4 * u; }
  /// |delta - exact|, where sum P |a| is `magnitude`.
  double of_delta(double magnitude, double delta) const {
    return (tau + sum) * magnitude + (tau + sum + 2 * u) * delta + 2 * u * delta;
  }
  double of_logit(double p, double x, double magnitude, double delta) const {
    return p * ((weight() + 8 * u) * x + of_delta(magnitude, delta));
  }

  double tau, sum;
};

/// Values of 1 and -1 in turn: delta is 0, and dS is half the weight's share of one, for each of `keys` keys.
TEST(GradientBoundCounts, CountsKeysAndTiles) {
  for (const index keys : {2, 64, 200})
    for (const index queries : {1, 16, 40, 64, 200}) {
      const auto text = fmt::format("shape=1x1x{}x{}x1:1 scale=1 score=bias:full", queries, keys);
      const index whole_words = (keys + 63) / 64, tiles = (queries + 15) / 16, groups = (tiles + 3) / 4;
      const auto words = static_cast<double>(whole_words);
      const auto additions = static_cast<double>(std::min<index>(tiles, 4) - 1 + groups);
      const auto n = static_cast<double>(keys), rows = static_cast<double>(queries), p = 1 / n;
      const RowErrors row(0, words);
      const double of_logit = row.of_logit(p, 1, 1, 0), over_rows = (17 + additions) * u;
      const GradientTruth of_query = certified(text, zero, opposed, opposed, one);
      expect_bound(of_query.query.at(0, 0, 0, 0), n * (of_logit + row.sum * p) + 4 * u, text);
      expect_bound(of_query.bias->at(0, 0, 0, 0), of_logit + u * p + 4 * u * p, text);
      const GradientTruth of_key = certified(text, one, zero, opposed, one);
      // One bound for four rows: the last ones may be fewer.
      expect_bound(of_key.key.at(0, 0, 0, 0), rows * (of_logit + over_rows * p) + 4 * u * rows * p, text);
      expect_bound(of_key.value.at(0, 0, 0, 0), rows * p * (row.weight() + over_rows) + 4 * u * rows * p, text);
    }
}

/// Two keys and the sink weigh a third each; delta is 2/3, and so is the weight of the sink's gradient.
TEST(GradientBoundCounts, CountsSinks) {
  const GradientTruth truth = certified("shape=1x1x1x2x1:1 scale=1 score=sink:head", zero, one, one, one);
  const RowErrors row(0, 1);
  const double p = 1.0 / 3, delta = 2.0 / 3;
  const double by_hand = p * ((row.weight() + 4 * u) * delta + row.of_delta(delta, delta)) + (u + 4 * u) * p * delta;
  expect_bound(truth.sink->at(0, 0, 0, 0), by_hand, "sink");
}

/// A score whose product is scaled, or bent, errs, and so do weights and slopes.
TEST(GradientBoundCounts, CountsScoresAndSlopes) {
  const auto inexact = [](index, index) { return 1.0 / 3; };
  const auto bound_of = [&](const char* rest, auto query) {
    return certified(fmt::format("shape=1x1x1x2x1:1 {}", rest), query, query, opposed, one).key.at(0, 0, 0, 0);
  };
  const auto expect = [&](const char* rest, auto query, double of_scores, double slope, double of_slope) {
    const RowErrors row(of_scores, 1);
    const double q = query(0, 0), logit = row.of_logit(0.5, 1 + of_slope / (row.weight() + 8 * u), 1, 0);
    expect_bound(bound_of(rest, query), q * slope * (logit + (18 + 4) * u * 0.5) * 1, rest);
  };
  expect("scale=1", inexact, 2 * u / 9, 1, 0);
  // |z| = |y / c| moves tanh by u |z|, and the slope by twice that; its own roundings are 4 + 8.
  const double slope_of_1 = 1 - std::pow(std::tanh(1), 2), slope_of_2 = 1 - std::pow(std::tanh(2), 2);
  expect("scale=1 score=softcap:1", one, 14 * u, slope_of_1, (2 * 1 + 12) * u);
  expect("scale=1 score=softcap:0.5", one, 7 * u, slope_of_2, (2 * 2 + 12) * u);
  const double y = 1.0 / 9, slope = 1 - std::pow(std::tanh(y / 0.125), 2);
  expect("scale=1 score=softcap:0.125", inexact, y * 2 * u + y * 14 * u, slope,
         (2 * (y * 2 / 0.125 + y / 0.125) + 12) * u);
}

/// Products dO.v of inexact numbers: they move dP of the pair, and delta by as much as they weigh.
TEST(GradientBoundCounts, CountsProductsOfValues) {
  for (const index channels : {1, 20}) {
    const auto value = [](index key, index) { return (key % 2 ? -1 : 1) / 7.0; };
    const auto text = fmt::format("shape=1x1x1x2x1:{} score=bias:full", channels);
    const GradientTruth truth = certified(text, zero, zero, value, [](index, index) { return 1.0 / 3; });
    const RowErrors row(0, 1);
    const auto c = static_cast<double>(channels), a = c / 21;
    const double of_product = (std::min(c, 16.0) + std::ceil(c / 16)) * u * a;
    const double logit = row.of_logit(0.5, a, a, 0) + 0.5 * (of_product + of_product);
    expect_bound(truth.bias->at(0, 0, 0, 0), logit + (1 + 4) * u * a / 2, text);
  }
}

/// A key of weight e^-720 beside one of weight 1, which it differs from by 1 in value.
TEST(GradientBoundCounts, CountsLostWeights) {
  const auto number = [](index key, index) { return static_cast<double>(key); };
  const auto score = [](index key, index) { return key == 0 ? -720 : 0; };
  const GradientTruth truth = certified("shape=1x1x1x2x1:1 scale=1", one, score, number, one);
  expect_bound(truth.value.at(0, 0, 0, 0), 0x1p-996, "dV");
  expect_bound(truth.key.at(0, 0, 0, 0), 0x1p-996, "dK");
}

/// Sums of nothing but zeros, and gradients so small that only what products may lose is left of their bounds.
TEST(GradientBoundCounts, CountsProductsThatUnderflow) {
  constexpr double least = 0x1p-1074;
  for (const auto& [rest, factor] : {std::pair{"", 1}, {" dropout=0.75 seed=1", 4}}) {
    const auto text = fmt::format("shape=1x1x1x2x1:1 scale=1{}", rest);
    // Four for each of two keys, before the factor, and four after it.
    EXPECT_EQ(certified(text, zero, zero, one, one).query.at(0, 0, 0, 0).bound, (4 * 2 + 4) * factor * least) << rest;
  }
  const auto tiny = [](index, index) { return 0x1p-1060; };
  const GradientTruth truth = certified("shape=1x1x1x2x1:5 scale=1 score=bias:full", zero, zero, opposed, tiny);
  // Of 66 keys, tiles and sinks; of the products of dO.v, and of a sum of them; half of it; of dS, and of the quotient.
  const double of_delta = 4 * 66 + 1 + 2 * (2 * 5 + 4);
  EXPECT_NEAR(truth.bias->at(0, 0, 0, 0).bound / least, of_delta / 2 + 16 + 4, 1);
}

}  // namespace
}  // namespace attestone
