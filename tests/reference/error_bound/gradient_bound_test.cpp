// SPDX-License-Identifier: Apache-2.0
// What bounds of gradients promise apart from their size: zeros, ranges, poison, monotonicity, threads.
#include "reference/error_bound/gradient/gradient_bound.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <omp.h>

#include "reference/call/dropout.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/numerics/declared_class.hpp"
#include "tests/reference/error_bound/declared_errors.hpp"
#include "tests/reference/error_bound/fills.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct BackwardInputs {
  explicit BackwardInputs(const std::string& line)
      : problem(parse_problem(line + " pass=forward+backward")), inputs(problem) {
    emulation::fills().front().fill(problem, problem.seed, inputs);
    emulation::fill_logits(problem.seed, inputs);
    emulation::fill_dout(problem.seed, false, 1, inputs);
  }
  Numerics numerics() const { return default_numerics(problem.input, problem.output); }
  GradientBounds bounds() const { return gradient_bounds(problem, inputs, numerics()); }
  GradientBounds bounds(const Numerics& n) const { return gradient_bounds(problem, inputs, n); }

  Problem problem;
  Inputs inputs;
};

void expect_zero(const ElementBounds& bounds, index b, index h, index r) {
  for (index c = 0; c < bounds.extents()[3]; ++c) {
    EXPECT_EQ(bounds.deterministic(b, h, r, c), 0);
    EXPECT_EQ(bounds.probabilistic(b, h, r, c), 0);
  }
}

void expect_some(const ElementBounds& bounds, index b, index h, index r) {
  for (index c = 0; c < bounds.extents()[3]; ++c) {
    EXPECT_GT(bounds.deterministic(b, h, r, c), 0);
    EXPECT_LE(bounds.probabilistic(b, h, r, c), bounds.deterministic(b, h, r, c));
    EXPECT_TRUE(std::isfinite(bounds.deterministic(b, h, r, c)));
  }
}

TEST(GradientBound, EmptyRowsAndUnseenKeysAreExactlyZero) {
  // Five queries on three keys: the first two see nothing. Key 2 is seen by the last query alone, whose dO is 0.
  BackwardInputs here("shape=1x1x5x3x8:4 mask=causal score=bias:full");
  for (index c = 0; c < 4; ++c) here.inputs.dout->view().set(0, 0, 4, c, 0);
  for (index j = 0; j < 3; ++j) here.inputs.bias->view().set(0, 0, 3, j, 0);
  const GradientBounds bounds = here.bounds();
  for (const index empty : {0, 1, 4}) expect_zero(bounds.query, 0, 0, empty);
  expect_some(bounds.query, 0, 0, 3);
  expect_zero(bounds.key, 0, 0, 2);
  expect_zero(bounds.value, 0, 0, 2);
  expect_some(bounds.key, 0, 0, 0);
  expect_some(bounds.value, 0, 0, 0);
  EXPECT_EQ(bounds.bias->deterministic(0, 0, 3, 2), 0);
  EXPECT_GT(bounds.bias->deterministic(0, 0, 3, 1), 0);
}

TEST(GradientBound, AHiddenPairHasNoBiasToErr) {
  BackwardInputs here("shape=1x1x2x4x8 score=bias:pair");
  for (index j = 0; j < 4; ++j) here.inputs.bias->view().set(0, 0, 0, j, 0);
  here.inputs.bias->view().set(0, 0, 0, 2, -std::numeric_limits<double>::infinity());
  const GradientBounds bounds = here.bounds();
  EXPECT_EQ(bounds.bias->deterministic(0, 0, 0, 2), 0);
  EXPECT_GT(bounds.bias->deterministic(0, 0, 0, 1), 0);
}

TEST(GradientBound, AnEmptyRowSendsNothingToItsSink) {
  const BackwardInputs empty("shape=1x2x3x5x8 mask=~full score=sink:head"), full("shape=1x2x3x5x8 score=sink:head");
  EXPECT_EQ(empty.bounds().sink->deterministic(0, 1, 0, 0), 0);
  EXPECT_GT(full.bounds().sink->deterministic(0, 1, 0, 0), 0);
}

TEST(GradientBound, ADroppedPairSendsNothingToItsValue) {
  const BackwardInputs here("shape=1x1x1x20x8:4 dropout=0.5");
  const GradientBounds bounds = here.bounds();
  const Dropout dropout(here.problem);
  for (index j = 0; j < 20; ++j) {
    dropout.keeps({0, 0, 0, j}) ? expect_some(bounds.value, 0, 0, j) : expect_zero(bounds.value, 0, 0, j);
    expect_some(bounds.key, 0, 0, j);
  }
}

/// P dP and delta are equal with one key, but a kernel rounds them apart.
TEST(GradientBound, OneVisibleKeyLeavesWhatRoundingLeaves) {
  const GradientBounds bounds = BackwardInputs("shape=1x1x2x1x8").bounds();
  expect_some(bounds.query, 0, 0, 0);
  EXPECT_LT(bounds.query.deterministic(0, 0, 0, 0), 1e-3);
}

TEST(GradientBound, OnlyVisiblePoisonLeavesNoBound) {
  BackwardInputs clean("shape=1x2/1x6x6x8 mask=causal"), poisoned("shape=1x2/1x6x6x8 mask=causal");
  for (index c = 0; c < 8; ++c) poisoned.inputs.key.view().set(0, 0, 5, c, nan);
  const GradientBounds expected = clean.bounds(), got = poisoned.bounds();
  for (index c = 0; c < 8; ++c) {
    EXPECT_EQ(got.query.deterministic(0, 1, 4, c), expected.query.deterministic(0, 1, 4, c));
    EXPECT_TRUE(std::isinf(got.query.deterministic(0, 1, 5, c)));
    EXPECT_TRUE(std::isinf(got.query.probabilistic(0, 1, 5, c)));
    EXPECT_TRUE(std::isinf(got.key.deterministic(0, 0, 0, c)));
  }
}

TEST(GradientBound, LeavingTheRangeLeavesNoBound) {
  BackwardInputs large("shape=1x1x2x4x8 dtype=f16>f32");
  for (index c = 0; c < 8; ++c) {
    large.inputs.dout->view().set(0, 0, 0, c, c % 2 ? 6e4 : -6e4);
    large.inputs.value.view().set(0, 0, 1, c, c % 2 ? 10 : -10);
  }
  const GradientBounds bounds = large.bounds();
  EXPECT_TRUE(std::isinf(bounds.query.deterministic(0, 0, 0, 0)));
  EXPECT_TRUE(std::isinf(bounds.key.deterministic(0, 0, 0, 0)));
  EXPECT_TRUE(std::isfinite(bounds.query.deterministic(0, 0, 1, 0)));
  Numerics wide = large.numerics();
  wide.gradient.cast.roundoff = 0;
  EXPECT_TRUE(std::isfinite(large.bounds(wide).query.deterministic(0, 0, 0, 0)));
  wide.gradient.stored = {.roundoff = 0x1p-11, .largest = 1e6};
  EXPECT_TRUE(std::isinf(large.bounds(wide).query.deterministic(0, 0, 0, 0)));
  wide.gradient.stored.largest = 1e7;
  EXPECT_TRUE(std::isfinite(large.bounds(wide).query.deterministic(0, 0, 0, 0)));
}

TEST(GradientBound, EveryDeclaredErrorCounts) {
  const DeclaredErrors changes = declared_errors({
      {"log_error", [](Numerics& n) { n.output.log_error *= 2; }},
      {"score_gradient_roundoff",
       [](Numerics& n) {
         n.gradient.cast.roundoff = 1e-3;
         n.gradient.cast.largest = 1e30;
       }},
      {"log_sum_exp_roundoff", [](Numerics& n) { n.output.log_sum_exp_roundoff *= 2; }},
  });
  const BackwardInputs usual("shape=1x1x20x100x8 score=softcap:30");
  const GradientBounds before = usual.bounds();
  for (const auto& [name, change] : changes) {
    Numerics looser = usual.numerics();
    change(looser);
    const GradientBounds after = usual.bounds(looser);
    EXPECT_GT(after.query.deterministic(0, 0, 0, 0), before.query.deterministic(0, 0, 0, 0)) << name;
    EXPECT_GT(after.query.probabilistic(0, 0, 0, 0), before.query.probabilistic(0, 0, 0, 0)) << name;
    EXPECT_GT(after.key.deterministic(0, 0, 0, 0), before.key.deterministic(0, 0, 0, 0)) << name;
    if (name == "score_gradient_roundoff" || name.starts_with("value.values")) continue;  // dV reads neither dS nor V
    EXPECT_GT(after.value.deterministic(0, 0, 0, 0), before.value.deterministic(0, 0, 0, 0)) << name;
  }
}

TEST(GradientBound, ManyRoundingsOfDifferentNumbersAddInQuadrature) {
  const BackwardInputs here("shape=1x1x600x600x8 dtype=bf16>f32");
  const GradientBounds bounds = here.bounds();
  EXPECT_LT(bounds.query.probabilistic(0, 0, 0, 0), 0.95 * bounds.query.deterministic(0, 0, 0, 0));
  EXPECT_LT(bounds.key.probabilistic(0, 0, 0, 0), 0.95 * bounds.key.deterministic(0, 0, 0, 0));
  EXPECT_LT(bounds.value.probabilistic(0, 0, 0, 0), 0.95 * bounds.value.deterministic(0, 0, 0, 0));
}

TEST(GradientBound, NeitherThreadsNorLayoutsMatter) {
  const std::string line = "shape=2x4/2x9x17x8 mask=causal score=bias:key&sink:head dtype=bf16";
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const GradientBounds alone = BackwardInputs(line).bounds();
  omp_set_num_threads(3);
  const GradientBounds together = BackwardInputs(line + " layout=bshd").bounds();
  omp_set_num_threads(threads);
  for (index b = 0; b < 2; ++b)
    for (index j = 0; j < 17; ++j) {
      EXPECT_EQ(alone.key.probabilistic(b, 1, j, 3), together.key.probabilistic(b, 1, j, 3));
      EXPECT_EQ(alone.value.deterministic(b, 1, j, 3), together.value.deterministic(b, 1, j, 3));
      EXPECT_EQ(alone.bias->deterministic(b, 0, 0, j), together.bias->deterministic(b, 0, 0, j));
    }
}

}  // namespace
}  // namespace attestone
