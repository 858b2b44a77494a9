// SPDX-License-Identifier: Apache-2.0
// What bounds of rows promise apart from their size: empty rows, ranges, poison, monotonicity, shifts of V.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "reference/call/dropout.hpp"
#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/numerics/declared_class.hpp"
#include "tests/reference/error_bound/declared_errors.hpp"
#include "tests/reference/error_bound/fills.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  explicit Case(const std::string& line) : problem(parse_problem(line)), inputs(problem) {
    emulation::fills().front().fill(problem, problem.seed, inputs);
  }
  Numerics numerics() const { return default_numerics(problem.input, problem.output); }
  ForwardBound bound() const { return {problem, inputs, numerics()}; }
  ForwardBound bound(const Numerics& n) const { return {problem, inputs, n}; }

  Problem problem;
  Inputs inputs;
};

TEST(RowBound, AnEmptyRowIsExactlyZero) {
  for (const std::string line : {"shape=1x1x2x0x8", "shape=1x1x2x5x8 mask=~full", "shape=1x1x2x5x8 lengths=0"}) {
    const Case empty(line);
    const ForwardBound bound = empty.bound();
    const auto row = bound.row(0, 0, 1);
    EXPECT_EQ(row->visible_keys(), 0);
    EXPECT_EQ(row->out(0), 0);
    EXPECT_EQ(row->out_probabilistic(0), 0);
    EXPECT_EQ(row->out_probabilistic_at_least(0), 0);
    EXPECT_EQ(row->log_sum_exp(), 0);
    EXPECT_EQ(row->mean_value(0), 0);
  }
}

TEST(RowBound, AnEmptyRowWithASinkIsZeroAndItsLogSumExpIsTheSink) {
  Case empty("shape=1x1x2x5x8 mask=~full score=sink:head");
  empty.inputs.sink->view().set(0, 0, 0, 0, 3);
  const ForwardBound bound = empty.bound();
  const auto row = bound.row(0, 0, 1);
  EXPECT_EQ(row->visible_keys(), 0);
  EXPECT_EQ(row->out(0), 0);
  EXPECT_EQ(row->out_probabilistic(0), 0);
  EXPECT_GT(row->log_sum_exp(), 0);
  EXPECT_LT(row->log_sum_exp(), 1e-4);
}

TEST(RowBound, ASinkOfMinusInfinityIsNone) {
  const Case plain("shape=1x1x2x5x8");
  Case sunk("shape=1x1x2x5x8 score=sink:head");
  sunk.inputs.sink->view().set(0, 0, 0, 0, -std::numeric_limits<double>::infinity());
  const ForwardBound plain_bound = plain.bound(), sunk_bound = sunk.bound();
  EXPECT_EQ(plain_bound.row(0, 0, 1)->out(0), sunk_bound.row(0, 0, 1)->out(0));
  EXPECT_EQ(plain_bound.row(0, 0, 1)->log_sum_exp(), sunk_bound.row(0, 0, 1)->log_sum_exp());
}

TEST(RowBound, TheMeanOfValuesIsTakenAfterDropout) {
  Case dropped("shape=1x1x1x64x8 dropout=0.75");
  const Dropout dropout(dropped.problem);
  index kept = 0;
  for (index j = 0; j < 64; ++j) {
    kept += dropout.keeps({0, 0, 0, j});
    dropped.inputs.value.view().set(0, 0, j, 0, dropout.keeps({0, 0, 0, j}) ? 1 : nan);
  }
  const ForwardBound bound = dropped.bound();
  EXPECT_DOUBLE_EQ(bound.row(0, 0, 0)->mean_value(0), 4 * static_cast<double>(kept) / 64);
  EXPECT_TRUE(std::isfinite(bound.row(0, 0, 0)->out(0)));
}

TEST(RowBound, InvisibleKeysDoNotEnter) {
  Case clean("shape=1x2/1x6x6x8 mask=causal"), poisoned("shape=1x2/1x6x6x8 mask=causal");
  for (index c = 0; c < 8; ++c) {
    poisoned.inputs.key.view().set(0, 0, 4, c, nan);
    poisoned.inputs.value.view().set(0, 0, 4, c, std::numeric_limits<double>::infinity());
  }
  const ForwardBound clean_bound = clean.bound(), poisoned_bound = poisoned.bound();
  const auto expected = clean_bound.row(0, 1, 3), got = poisoned_bound.row(0, 1, 3);
  EXPECT_EQ(got->visible_keys(), 4);
  for (index c = 0; c < 8; ++c) {
    EXPECT_EQ(got->out(c), expected->out(c));
    EXPECT_EQ(got->out_probabilistic(c), expected->out_probabilistic(c));
    EXPECT_EQ(got->mean_value(c), expected->mean_value(c));
  }
  EXPECT_EQ(got->log_sum_exp(), expected->log_sum_exp());
}

TEST(RowBound, VisiblePoisonLeavesNoBound) {
  Case poisoned("shape=1x1x2x6x8");
  poisoned.inputs.value.view().set(0, 0, 2, 3, nan);
  const ForwardBound bound = poisoned.bound();
  const auto row = bound.row(0, 0, 0);
  EXPECT_TRUE(std::isinf(row->out(3)));
  EXPECT_TRUE(std::isinf(row->out_probabilistic(3)));
  EXPECT_TRUE(std::isfinite(row->out(2)));
}

TEST(RowBound, QueryHeadsShareTheirKeyHead) {
  Case grouped("shape=1x4/2x3x9x8");
  for (index c = 0; c < 8; ++c) grouped.inputs.value.view().set(0, 1, 0, c, 100);
  const ForwardBound bound = grouped.bound();
  EXPECT_LT(bound.row(0, 1, 0)->mean_value(0), 5);
  EXPECT_GT(bound.row(0, 2, 0)->mean_value(0), 5);
}

TEST(RowBound, LeavingTheRangeLeavesNoBound) {
  Case large("shape=1x1x1x4x8 dtype=f16");
  Numerics narrow_scores = large.numerics();
  narrow_scores.score.stored.largest = 65504;
  for (index c = 0; c < 8; ++c) {
    large.inputs.query.view().set(0, 0, 0, c, 300);
    large.inputs.key.view().set(0, 0, 1, c, 300);
  }
  const ForwardBound usual = large.bound(), narrow = large.bound(narrow_scores);
  EXPECT_TRUE(std::isfinite(usual.row(0, 0, 0)->out(0)));
  EXPECT_TRUE(std::isinf(narrow.row(0, 0, 0)->out(0)));
  EXPECT_TRUE(std::isinf(narrow.row(0, 0, 0)->log_sum_exp()));
}

TEST(RowBound, WhollyWrongWeightsStillAverageV) {
  Case steep("shape=1x1x1x16x8");
  for (index c = 0; c < 8; ++c) steep.inputs.query.view().set(0, 0, 0, c, 1e8);
  const ForwardBound bound = steep.bound();
  const auto row = bound.row(0, 0, 0);
  EXPECT_TRUE(std::isfinite(row->out(0)));
  EXPECT_GT(row->out(0), 1);
  EXPECT_LT(row->out(0), 10);  // no two of 16 normal numbers are further apart
}

TEST(RowBound, EveryDeclaredErrorCounts) {
  const DeclaredErrors changes = declared_errors({
      {"prescale_roundoff", [](Numerics& n) { n.score.prescale.roundoff = 1e-3; }},
      {"prescale_underflow", [](Numerics& n) { n.score.prescale.underflow = 1e-6; }},
      {"score_underflow", [](Numerics& n) { n.score.stored.underflow = 1e-6; }},
      {"weight_underflow", [](Numerics& n) { n.weight.cast.underflow = n.weight.cast.smallest_normal = 1e-2; }},
      {"weights_are_normalised", [](Numerics& n) { n.weight.normalised = true; }},
      {"value.normalised_per_tile", [](Numerics& n) { n.value.normalised_per_tile = true, n.weight.tile_keys = 1; }},
  });
  const Case usual("shape=1x1x1x200x16:2 score=softcap:30");
  const ForwardBound usual_bound = usual.bound();
  const auto before = usual_bound.row(0, 0, 0);
  for (const auto& [name, change] : changes) {
    Numerics looser = usual.numerics();
    change(looser);
    const ForwardBound looser_bound = usual.bound(looser);
    const auto after = looser_bound.row(0, 0, 0);
    EXPECT_GT(after->out(0), before->out(0)) << name;
    if (name == "weights_are_normalised") continue;  // exchanges a shared rounding for many independent ones
    EXPECT_GT(after->out_probabilistic(0), before->out_probabilistic(0)) << name;
  }
}

/// Scores that err shift weight between keys: a shift of V moves the answer, and not its error from that source.
TEST(RowBound, ErrorsOfScoresAreCentred) {
  Case plain("shape=1x1x1x64x16:1"), shifted("shape=1x1x1x64x16:1");
  for (index j = 0; j < 64; ++j)
    shifted.inputs.value.view().set(0, 0, j, 0, plain.inputs.value.view().value(0, 0, j, 0) + 1024);
  Numerics scores_only = plain.numerics();
  scores_only.score.stored.roundoff = 1e-2;
  const auto added = [&](const Case& where) {
    const ForwardBound without = where.bound(), with = where.bound(scores_only);
    return with.row(0, 0, 0)->out(0) - without.row(0, 0, 0)->out(0);
  };
  const double own = added(plain), moved = added(shifted);
  EXPECT_NEAR(moved / own, 1, 0.05);
}

TEST(RowBound, AnyLayoutGivesTheSameBounds) {
  const Case packed("shape=2x2x3x5x8"), strided("shape=2x2x3x5x8 layout=strided");
  const ForwardBound packed_bound = packed.bound(), strided_bound = strided.bound();
  const auto a = packed_bound.row(1, 1, 2), b = strided_bound.row(1, 1, 2);
  for (index c = 0; c < 8; ++c) EXPECT_EQ(a->out(c), b->out(c));
}

}  // namespace
}  // namespace attestone
