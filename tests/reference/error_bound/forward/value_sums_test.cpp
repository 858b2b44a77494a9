// SPDX-License-Identifier: Apache-2.0
// The sums over a row's keys, against the same sums key by key.
#include "reference/error_bound/forward/value_sums.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace attestone {
namespace {

constexpr index keys = 7, channels = 3;  // no multiple of the keys that are taken together

struct Case {
  Case() : problem(parse_problem("shape=1x1x1x7x1:3 dtype=f64 scale=1")), inputs(problem) {
    inputs.query.view().set(0, 0, 0, 0, 1);
    for (index j = 0; j < keys; ++j) {
      inputs.key.view().set(0, 0, j, 0, 0.25 * static_cast<double>(j));
      for (index c = 0; c < channels; ++c) inputs.value.view().set(0, 0, j, c, v(j, c));
      const auto x = static_cast<double>(j);
      weights.share.push_back((x + 1) / 28);
      weights.error.push_back(0.01 * x + 0.03);
      weights.upper.push_back(weights.share.back() + 0.125 * x);
      weights.systematic.push_back(0.02 / (x + 1));
      weights.chain_root.push_back(0.5 / (x + 2));
      weights.may_underflow.push_back(j % 2 == 1);
    }
  }
  static double v(index j, index c) { return static_cast<double>((3 * j + 5 * c) % 7) - 3.5; }

  /// The sum over keys of term(j, v).
  template <class Term>
  double sum(index c, const Term& term) const {
    double total = 0;
    for (index j = 0; j < keys; ++j) total += term(static_cast<std::size_t>(j), v(j, c));
    return total;
  }

  Problem problem;
  Inputs inputs;
  RowWeights weights;
};

TEST(ValueSums, AreThoseOfEachKey) {
  const Case row;
  const RowWeights& w = row.weights;
  const DecodedInputs decoded(row.problem, row.inputs);
  const RowScores scores = row_scores(decoded, {}, 0, 0, 0);
  const ValueRows values(decoded, scores, 0, 0, 0);
  for (const bool centred : {false, true}) {
    const double u = 0.25;
    const ValueSums sums = value_sums(values, scores, w, centred, u);
    const ValueRange range = value_range(values, sums.out);
    for (index c = 0; c < channels; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const double o = row.sum(c, [&](std::size_t j, double v) { return w.share[j] * v; });
      const double r = centred ? o : 0;
      EXPECT_NEAR(sums.out[at], o, 1e-14);
      EXPECT_NEAR(sums.mean[at], row.sum(c, [](std::size_t, double v) { return v / 7; }), 1e-14);
      EXPECT_NEAR(sums.weighted[at], row.sum(c, [&](auto j, double v) { return w.upper[j] * std::abs(v); }), 1e-13);
      EXPECT_NEAR(sums.error[at], row.sum(c, [&](auto j, double v) { return w.error[j] * std::abs(v - o); }), 1e-14);
      EXPECT_NEAR(sums.systematic_error[at],
                  row.sum(c, [&](auto j, double v) { return w.systematic[j] * std::abs(v - o); }), 1e-14);
      EXPECT_NEAR(sums.cast_squares[at],
                  row.sum(c, [&](auto j, double v) { return std::pow(w.upper[j] * (v - r), 2); }), 1e-13);
      EXPECT_NEAR(sums.underflow[at], row.sum(c, [](auto j, double v) { return j % 2 == 1 ? std::abs(v) : 0; }), 1e-14);
      EXPECT_NEAR(sums.chain_squares[at],
                  row.sum(c, [&](auto j, double v) { return std::pow(w.chain_root[j] * (v - o), 2); }), 1e-13);
      // Partial sums are looked at after every fourth key.
      const double first_four = row.sum(c, [&](auto j, double v) { return j < 4 ? w.share[j] * v : 0; });
      const double span = std::max({0.0, first_four, o}) - std::min({0.0, first_four, o});
      EXPECT_NEAR(sums.span[at], span, 1e-14);
      EXPECT_EQ(sums.seen[at], row.sum(c, [&](auto j, double v) { return w.upper[j] * std::abs(v) > u * span; }));
      double largest = 0, distance = 0;
      for (index j = 0; j < keys; ++j) {
        largest = std::max(largest, std::abs(Case::v(j, c)));
        distance = std::max(distance, std::abs(Case::v(j, c) - o));
      }
      EXPECT_EQ(range.largest[at], largest);
      EXPECT_NEAR(range.distance[at], distance, 1e-14);
    }
  }
}

}  // namespace
}  // namespace attestone
