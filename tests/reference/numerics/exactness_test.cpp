// SPDX-License-Identifier: Apache-2.0
// What is exact according to a declaration, and what is not.
#include "reference/numerics/exactness.hpp"

#include <gtest/gtest.h>

#include "reference/numerics/declaration.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone {
namespace {

constexpr index largest_integer = 8;

Numerics f32_with(const std::string& declared) {
  return with_declared(default_numerics(dtype("f32"), dtype("f32")), declared, "it");
}

bool keeps(const std::string& declared, index keys) {
  return keeps_ties_exact(f32_with(declared), keys, largest_integer);
}

TEST(Exactness, SumsOfIntegersAreExactAsLongAsTheyFit) {
  EXPECT_TRUE(keeps("", 64));
  EXPECT_TRUE(keeps("accumulator_roundoff=0x1p-11", 128));
  EXPECT_FALSE(keeps("accumulator_roundoff=0x1p-11", 256));
  EXPECT_FALSE(keeps("weight_smallest_normal=0.1", 16));
  EXPECT_FALSE(keeps("weight.reference_distance=3", 16));
}

TEST(Exactness, EqualMaximaMergeExactlyAndLogarithmsDoNot) {
  for (const std::string form : {"rescaled_sums", "shared_maximum"})
    EXPECT_TRUE(keeps("merge.parts=4 merge.form=" + form, 64)) << form;
  for (const std::string form : {"late_correction", "sigmoid"}) {
    EXPECT_FALSE(keeps("merge.parts=4 merge.form=" + form, 64)) << form;
    EXPECT_TRUE(keeps("merge.parts=4 merge.form=" + form, 1)) << form;
    EXPECT_TRUE(keeps("merge.parts=1 merge.form=" + form, 64)) << form;
  }
  EXPECT_FALSE(keeps("merge.parts=4 merge.form=rescaled_sums merge.out.roundoff=0x1p-8", 64));
  EXPECT_TRUE(keeps("merge.parts=4 merge.form=rescaled_sums merge.out.roundoff=0x1p-8", 16));
}

/// FlashAttention's first algorithm: three keys of one tile are added up, one key is nothing but itself.
TEST(Exactness, WhatIsDividedAfterEveryTileIsRoundedThere) {
  const std::string tiles = "value.normalised_per_tile=yes weight.tile_keys=16";
  EXPECT_TRUE(keeps(tiles, 1));
  EXPECT_FALSE(keeps(tiles, 8));
  EXPECT_TRUE(keeps("value.normalised_per_tile=yes weight.tile_keys=0", 64)) << "one tile";
  const Winner winner{.score = 0, .lead = 104, .channels = 6, .keys = 64, .largest_value = 16};
  const double plain = winner_error(f32_with(""), winner).relative;
  EXPECT_NEAR(winner_error(f32_with(tiles), winner).relative, plain + 3 * 5 * 0x1p-24, 1e-12);
}

TEST(Exactness, AWinnerPaysForWhatIsRoundedOnItsWay) {
  const Winner winner{.score = 0, .lead = 104, .channels = 6, .keys = 64, .largest_value = 16};
  const WinnerError plain = winner_error(f32_with(""), winner);
  EXPECT_NEAR(plain.relative, 3 * 0x1p-24, 1e-12);
  EXPECT_LT(plain.absolute, 1e-30);
  const WinnerError rescaled = winner_error(f32_with("merge.parts=4 merge.form=rescaled_sums"), winner);
  EXPECT_EQ(rescaled.relative, plain.relative);
  const WinnerError stored =
      winner_error(f32_with("merge.parts=4 merge.form=rescaled_sums merge.out.roundoff=0.125"), winner);
  EXPECT_EQ(stored.relative, plain.relative + 0.125);
  const WinnerError sigmoid = winner_error(f32_with("merge.parts=4 merge.form=sigmoid"), winner);
  EXPECT_GT(sigmoid.absolute, 16 * 0x1p-24);
  const Winner far{.score = 500, .lead = 104, .channels = 6, .keys = 64, .largest_value = 16};
  const std::string late = "merge.parts=4 merge.form=late_correction";
  EXPECT_GT(winner_error(f32_with(late), far).relative, winner_error(f32_with(late), winner).relative);
}

/// A winner's row of V is what it was rounded to.
TEST(Exactness, RoundedRowsAreNotWhatWasGiven) {
  EXPECT_FALSE(keeps("value.values.of_largest=0x1p-8", 16));
  EXPECT_FALSE(keeps("score.keys.roundoff=0x1p-4", 16));
  const Winner winner{.score = 0, .lead = 104, .channels = 6, .keys = 64, .largest_value = 16};
  const WinnerError plain = winner_error(f32_with(""), winner);
  const WinnerError rounded = winner_error(
      f32_with("value.values.roundoff=0x1p-4 value.values.of_largest=0x1p-8 value.values.underflow=1"), winner);
  EXPECT_NEAR(rounded.relative, plain.relative + 0x1p-4, 1e-7);
  EXPECT_NEAR(rounded.absolute, 1, 1e-5);
  EXPECT_NEAR(rounded.of_largest, 0x1p-8, 1e-8);
}

/// Codes of V: a step of the largest, what saturates, and what a mean costs that is lost and given back.
TEST(CodeError, IsWhatACodeMayBeOffBy) {
  OperandCodes codes{CodeRule::int8_cuda, ScaleSharing::rows};
  const double step = coarseness(codes);
  EXPECT_NEAR(step, 1.0 / 254, 1e-6);
  EXPECT_EQ(code_error(codes, 3), 3 * step);
  codes.fixed_largest = 2;
  EXPECT_EQ(code_error(codes, 3), 2 * step + 1);
  EXPECT_EQ(code_error(codes, 1), 2 * step) << "a fixed scale has a step of its own";
  codes.centring = Centring::rounded;
  EXPECT_EQ(code_error(codes, 3), 2 * step + 4) << "less a mean of -3, 3 is 6";
  Numerics numerics;
  const Winner winner{.lead = 80, .largest_value = 16};
  EXPECT_LT(winner_error(numerics, winner).absolute, 1e-9);
  numerics.value.codes = {CodeRule::f16, ScaleSharing::channel};
  EXPECT_NEAR(winner_error(numerics, winner).absolute, 16 * 0x1p-11, 1e-9);
  numerics.value.codes.centring = Centring::rounded;
  numerics.output.accumulator.roundoff = numerics.output.cast.roundoff = 0x1p-11;
  EXPECT_GT(winner_error(numerics, winner).absolute, 32 * (0x1p-11 + 0x1p-8 + 2 * 0x1p-11));
}

}  // namespace
}  // namespace attestone
