// SPDX-License-Identifier: Apache-2.0
// How far scores may stray, against the formulas of docs/tolerance.md, "Scores", worked out apart.
#include <gtest/gtest.h>

#include "tests/reference/error_bound/forward/second_scores.hpp"

namespace attestone::second_scores {
namespace {

void expect_near(double got, double expected) { EXPECT_NEAR(got / expected, 1, 1e-12) << got << " " << expected; }

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

/// By the longest key of all sequences, which the head may read; padding is nobody's, and NaN is no length.
TEST(RowScores, AreBoundedByNorms) {
  const Problem problem = parse_problem("shape=2x2/1x1x3x2 lengths=2+3 scale=-0.5");
  Inputs inputs(problem);
  const auto set = [](Tensor& tensor, index batch, index head, index row, double first, double second) {
    tensor.view().set(batch, head, row, 0, first);
    tensor.view().set(batch, head, row, 1, second);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  set(inputs.query, 0, 0, 0, 2, 0), set(inputs.query, 0, 1, 0, 5, 12);
  set(inputs.key, 0, 0, 0, 3, 4), set(inputs.key, 0, 0, 1, 1, 0), set(inputs.key, 0, 0, 2, 90, 0);
  set(inputs.key, 1, 0, 0, -6, 8), set(inputs.key, 1, 0, 1, 0, nan), set(inputs.key, 1, 0, 2, 0, 1);
  const DecodedInputs decoded(problem, inputs);
  Numerics numerics;
  EXPECT_EQ(row_scores(decoded, numerics, 0, 0, 0).norm_bound, 0);  // nobody asks
  numerics.weight.bounded_maximum.largest = 1;
  EXPECT_EQ(row_scores(decoded, numerics, 0, 0, 0).norm_bound, 0.5 * 2 * 10);
  EXPECT_EQ(row_scores(decoded, numerics, 0, 1, 0).norm_bound, 0.5 * 13 * 10);
}

TEST(RowScores, UnitsThatTruncateCutMoreOften) {
  ScoreStage stage;
  EXPECT_EQ(score_chain(stage, 8), 9);
  stage.accumulator.truncates = true;
  EXPECT_EQ(score_chain(stage, 8), 13);
  stage.exact_products = true;
  EXPECT_EQ(score_chain(stage, 8), 1);
}

}  // namespace
}  // namespace attestone::second_scores
