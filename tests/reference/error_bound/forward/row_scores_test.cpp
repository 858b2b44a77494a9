// SPDX-License-Identifier: Apache-2.0
// How far scores may stray, against the formulas of docs/tolerance.md, "Scores", worked out apart.
#include "reference/error_bound/forward/row_scores.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace attestone {
namespace {

constexpr double u = 0x1p-10, u_in = 0x1p-11, u_pre = 0x1p-12, tanh_error = 0x1p-9, u_stored = 0x1p-8;
constexpr double eta = 0x1p-13, eta_pre = 0x1p-14, eta_stored = 0x1p-15, u_gradient = 0x1p-16;

double several(double n, double r) { return n * r / (1 - n * r); }
void expect_near(double got, double expected) { EXPECT_NEAR(got / expected, 1, 1e-12) << got << " " << expected; }

Numerics all_errors() {
  Numerics numerics;
  numerics.score.accumulator = {.roundoff = u, .largest = 1e300, .underflow = eta};
  numerics.score.operand_roundoff = u_in;
  numerics.score.prescale = {.roundoff = u_pre, .underflow = eta_pre};
  numerics.score.stored = {.roundoff = u_stored, .underflow = eta_stored, .largest = 1e300};
  numerics.score.tanh_error = tanh_error;
  numerics.gradient.accumulator.roundoff = u_gradient;
  return numerics;
}

/// One query and four keys of five channels; the last key is zero.
struct Case {
  explicit Case(const std::string& more)
      : problem(parse_problem("shape=1x1x1x4x5 dtype=f64 " + more)), inputs(problem) {
    for (index c = 0; c < 5; ++c) {
      inputs.query.view().set(0, 0, 0, c, q[static_cast<std::size_t>(c)]);
      for (index j = 0; j < 4; ++j) inputs.key.view().set(0, 0, j, c, key(j, c));
    }
    if (inputs.bias)
      for (index j = 0; j < 4; ++j) inputs.bias->view().set(0, 0, 0, j, bias[static_cast<std::size_t>(j)]);
    if (inputs.sink) inputs.sink->view().set(0, 0, 0, 0, sink);
  }

  static double key(index j, index c) { return j == 3 ? 0 : static_cast<double>((j + 1) * (c % 2 == 0 ? 1 : -2) + c); }
  RowScores scores(const Numerics& numerics = all_errors()) const {
    return row_scores(DecodedInputs(problem, inputs), numerics, 0, 0, 0);
  }

  static constexpr std::array<double, 5> q{0.5, -1, 0.25, 2, 1};
  static constexpr std::array<double, 4> bias{0.5, -3, 0, 2};
  static constexpr double sink = -2.5;
  Problem problem;
  Inputs inputs;
};

/// One key, step by step.
struct Expected {
  Expected(index j, double scale, double cap, const double* bias, double roundings_of_bias) {
    double magnitude = 0, norms = 0;
    for (index c = 0; c < 5; ++c) {
      const double x = Case::q[static_cast<std::size_t>(c)], k = Case::key(j, c);
      raw += x * k, magnitude += std::abs(x * k), norms += std::abs(x) + std::abs(k), key_norm += std::abs(k);
    }
    a = scale * magnitude;
    largest_raw = magnitude * (several(6, u) + operands());
    score = scale * raw;
    const double larger = std::max(1.0, scale);
    const double underflow = a == 0 ? 0 : eta * (14 * larger + (1 + scale) * norms) + eta_pre * key_norm;
    const double of_sum = several(6, u) * a + operands() * a + underflow;
    chain = several(6, u) * a * (1 + several(4, u));
    if (cap == 0) {
      error = of_sum * (1 + several(4, u)) + several(4, u) * std::abs(score);
    } else {
      score = cap * std::tanh(score / cap);
      const double s = std::abs(score), of_argument = several(5, u);
      const double capped = (of_sum * (1 + of_argument) + of_argument * (1 + of_argument) * s) * (1 + tanh_error);
      error = (capped + tanh_error * s) * (1 + several(4, u)) + several(4, u) * s;
      chain *= (1 + several(5, u)) * (1 + tanh_error);
      tanh = (error + u_stored * s + eta_stored * larger) * (1 + several(2, u_gradient));
      tanh = (tanh + several(2, u_gradient) * s) / cap;
    }
    const double before = std::abs(score);
    if (bias) {
      const double own = several(roundings_of_bias, u) * std::abs(*bias) + (*bias == 0 ? 0 : 4 * eta * larger);
      score += *bias;
      error += own + u * (std::abs(score) + error + own);
      chain *= 1 + u;
    }
    if (score == 0 && error == 0) return;
    stored = u_stored * std::max(before, std::abs(score)) + eta_stored * larger + u_stored * error;
    error += stored;
  }

  static double operands() { return ((1 + u_in) * (1 + u_in) * (1 + u_pre) - 1) * (1 + several(6, u)); }

  double raw = 0, a = 0, largest_raw = 0, key_norm = 0, score = 0, error = 0, chain = 0, stored = 0, tanh = 0;
};

TEST(RowScores, ErrorsOfKeysAreThoseOfThePage) {
  for (const double scale : {0.375, 3.0})
    for (const double cap : {0.0, 4.0})
      for (const bool biased : {false, true}) {
        std::string line = fmt::format("scale={}", scale);
        if (cap > 0) line += " score=softcap:4";
        if (biased) line += cap > 0 ? "&bias:full" : " score=bias:full";
        const RowScores row = Case(line).scores();
        for (index j = 0; j < 4; ++j) {
          const auto at = static_cast<std::size_t>(j);
          const Expected expected(j, scale, cap, biased ? &Case::bias[at] : nullptr, 5);
          EXPECT_NEAR(row.score[at], expected.score, 1e-12) << line;
          EXPECT_NEAR(row.magnitude[at], expected.a, 1e-12) << line;
          EXPECT_NEAR(row.chain[at], expected.chain, 1e-14) << line;
          EXPECT_NEAR(row.stored[at], expected.stored, 1e-14) << line;
          EXPECT_NEAR(row.error[at], expected.error, 1e-13) << line;
          if (cap > 0) {
            EXPECT_NEAR(row.tanh_error[at], expected.tanh, 1e-13) << line;
          }
        }
        EXPECT_EQ(row.error[3] == 0, !biased) << line;  // every product is exactly zero
      }
}

/// The slope of the only head is 2^-8: the distances of the keys from the query are 3, 2, 1 and 0.
TEST(RowScores, ABiasByFormulaHasTwoRoundingsMore) {
  const RowScores row = Case("scale=0.375 score=alibi").scores();
  for (index j = 0; j < 4; ++j) {
    const double bias = -static_cast<double>(3 - j) * 0x1p-8;
    const Expected expected(j, 0.375, 0, &bias, 7);
    EXPECT_NEAR(row.score[static_cast<std::size_t>(j)], expected.score, 1e-12);
    EXPECT_NEAR(row.error[static_cast<std::size_t>(j)], expected.error, 1e-13);
  }
}

TEST(RowScores, ASinkHasTheRoundingsOfABias) {
  for (const double scale : {0.375, 3.0}) {
    const RowScores row = Case(fmt::format("scale={} score=sink:head", scale)).scores();
    ASSERT_TRUE(row.has_sink());
    const double own = several(5, u) * 2.5 + 4 * eta * std::max(1.0, scale);
    const double stored = u_stored * (2.5 + own) + eta_stored * std::max(1.0, scale);
    EXPECT_EQ(row.score[4], Case::sink);
    EXPECT_EQ(row.magnitude[4] + row.chain[4], 0);
    expect_near(row.stored[4], stored);
    expect_near(row.error[4], own + stored);
  }
}

/// In base 2, before it is scaled down, or after it is scaled up; and where scores are stored, which hold sums as well.
TEST(RowScores, NothingMayLeaveItsRange) {
  for (const double scale : {0.375, 3.0}) {
    const Case plain(fmt::format("scale={}", scale));
    double in_accumulator = 0, as_stored = 0;
    for (index j = 0; j < 4; ++j) {
      const Expected key(j, scale, 0, nullptr, 0);
      const double sum = key.a / scale * (1 + several(6, u) + Expected::operands());
      in_accumulator = std::max(in_accumulator, sum * std::max(1.0, scale) + std::abs(key.score) + key.error);
      as_stored = std::max({as_stored, std::abs(key.raw) + key.largest_raw, std::abs(key.score) + key.error});
    }
    for (const double room : {1 - 1e-9, 1 + 1e-9}) {
      Numerics narrow = all_errors(), narrow_storage = all_errors();
      narrow.score.accumulator.largest = in_accumulator * std::log2(std::exp(1.0)) * room;
      narrow_storage.score.stored.largest = as_stored * room;
      EXPECT_EQ(plain.scores(narrow).in_range, room > 1) << scale;
      EXPECT_EQ(plain.scores(narrow_storage).in_range, room > 1) << scale;
    }
  }
}

TEST(RowScores, UnitsThatTruncateCutMoreOften) {
  ScoreStage stage;
  EXPECT_EQ(score_chain(stage, 8), 9);
  stage.accumulator.truncates = true;
  EXPECT_EQ(score_chain(stage, 8), 13);
}

}  // namespace
}  // namespace attestone
