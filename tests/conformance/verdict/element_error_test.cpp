// SPDX-License-Identifier: Apache-2.0
// The rules for NaN, infinities, overflow and signed zero, one by one.
#include "conformance/verdict/element_error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double error(double got, double truth, double bound = 0.5, const char* format = "f32") {
  return element_error(got, {.value = truth, .bound = 0, .rounded = truth}, bound, dtype(format), nullptr);
}

TEST(ElementError, IsTheDistanceBetweenFiniteNumbers) { EXPECT_EQ(error(1.5, 1), 0.5); }

TEST(ElementError, TakesMinusZeroForZero) { EXPECT_EQ(error(-0.0, 0.0), 0); }

TEST(ElementError, IsInfiniteForNonFiniteAnswersToFiniteTruths) {
  EXPECT_EQ(error(nan, 1), infinity);
  EXPECT_EQ(error(infinity, 1), infinity);
  EXPECT_EQ(error(-infinity, 1), infinity);
}

TEST(ElementError, ComparesPositionsOfNonFiniteTruths) {
  EXPECT_EQ(error(nan, nan), 0);
  EXPECT_EQ(error(-infinity, -infinity), 0);
  EXPECT_EQ(error(1, nan), infinity);
  EXPECT_EQ(error(infinity, -infinity), infinity);
  EXPECT_EQ(error(nan, infinity), infinity);
}

TEST(ElementError, AcceptsTheInfinityToWhichATruthRounds) {
  EXPECT_EQ(error(infinity, 65520, 0, "f16"), 0);
  EXPECT_EQ(error(infinity, 65519, 1, "f16"), 0);
  EXPECT_EQ(error(infinity, 65500, 1, "f16"), infinity);
  EXPECT_EQ(error(-infinity, 65520, 0, "f16"), infinity);
}

TEST(ElementError, AcceptsWhateverIsAdmissible) {
  const std::vector<double> admissible{nan, 3};
  const Certified truth{.value = nan};
  EXPECT_EQ(element_error(3, truth, 0, dtype("f32"), &admissible), 0);
  EXPECT_EQ(element_error(nan, truth, 0, dtype("f32"), &admissible), 0);
  EXPECT_EQ(element_error(-infinity, truth, 0, dtype("f32"), &admissible), infinity);
  EXPECT_NEAR(element_error(4, truth, 0, dtype("f32"), &admissible), 1, 1e-6);
  const std::vector<double> zero{nan, 0};
  EXPECT_EQ(element_error(4, truth, 0, dtype("f32"), &zero), infinity);
  const std::vector<double> without{nan, 1};
  EXPECT_EQ(element_error(1.25, {.value = 1, .rounded = 1}, 0.5, dtype("f32"), &without), 0.25);
}

/// An admissible answer may be rounded like any other.
TEST(ElementError, AcceptsWhatAnAdmissibleAnswerIsRoundedTo) {
  const std::vector<double> admissible{nan, 3};
  const Certified truth{.value = nan};
  EXPECT_EQ(element_error(3 + 0x1p-7, truth, 0, dtype("bf16"), &admissible), 0);
  EXPECT_NEAR(element_error(3.5, truth, 0, dtype("bf16"), &admissible), 0.5 - 3 * 0x1p-8, 1e-12);
}

TEST(ElementError, FollowsTheNonFiniteNumbersBeside) {
  EXPECT_EQ(non_finite_error(1, NonFinite::demanded), infinity);
  EXPECT_EQ(non_finite_error(infinity, NonFinite::demanded), 0);
  EXPECT_EQ(non_finite_error(nan, NonFinite::any), 0);
  EXPECT_EQ(non_finite_error(-infinity, NonFinite::any), 0);
  EXPECT_EQ(non_finite_error(nan, NonFinite::nan), 0);
  EXPECT_EQ(non_finite_error(infinity, NonFinite::nan), std::nullopt);
  for (const NonFinite beside : {NonFinite::any, NonFinite::nan}) EXPECT_EQ(non_finite_error(1, beside), std::nullopt);
}

TEST(ElementError, LeavesOutWhatTheTruthItselfDoesNotKnow) {
  EXPECT_EQ(element_error(1.5, {.value = 1, .bound = 0.125}, 1, dtype("f32"), nullptr), 0.375);
}

TEST(ShareOfBudget, OfNothingIsNothing) {
  EXPECT_EQ(share_of_budget(0, 0), 0);
  EXPECT_EQ(share_of_budget(1, 0), infinity);
  EXPECT_EQ(share_of_budget(infinity, infinity), infinity);
}

TEST(UnitInLastPlace, StopsAtTheSubnormals) {
  EXPECT_EQ(unit_in_last_place(dtype("f16"), 1), 0x1p-10);
  EXPECT_EQ(unit_in_last_place(dtype("f16"), 0), 0x1p-24);
  EXPECT_EQ(unit_in_last_place(dtype("f16"), 0x1p-20), 0x1p-24);
}

}  // namespace
}  // namespace attestone
