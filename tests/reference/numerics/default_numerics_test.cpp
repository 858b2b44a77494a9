// SPDX-License-Identifier: Apache-2.0
// The table of default classes in docs/tolerance.md, number for number.
#include <gtest/gtest.h>

#include "reference/numerics/declared_class.hpp"

namespace attestone {
namespace {

Numerics numerics(const std::string& input, const std::string& output) {
  return default_numerics(dtype(input), dtype(output));
}

TEST(DefaultNumerics, F32IsFullF32) {
  const Numerics n = numerics("f32", "f32");
  EXPECT_EQ(default_class_name(dtype("f32")), "fp32");
  EXPECT_EQ(n.value.accumulator.roundoff, 0x1p-24);
  EXPECT_FALSE(n.value.accumulator.truncates);
  EXPECT_EQ(n.weight.cast.roundoff, 0);
  EXPECT_EQ(n.weight.exp_error, 0x1p-22);
  EXPECT_EQ(n.score.tanh_error, 0x1p-11);
  EXPECT_EQ(n.output.cast.roundoff, 0x1p-24);
  EXPECT_EQ(n.output.cast.underflow, 0x1p-126);
  EXPECT_EQ(n.output.log_sum_exp_roundoff, 0x1p-24);
}

TEST(DefaultNumerics, NarrowInputsCastTheWeights) {
  const Numerics bf16 = numerics("bf16", "bf16"), f16 = numerics("f16", "f16"), e4m3 = numerics("e4m3", "bf16");
  EXPECT_EQ(default_class_name(dtype("bf16")), "bf16-P");
  EXPECT_EQ(bf16.value.accumulator.roundoff, 0x1p-23);
  EXPECT_TRUE(bf16.value.accumulator.truncates);
  EXPECT_EQ(bf16.weight.cast.roundoff, 0x1p-8);
  EXPECT_EQ(bf16.weight.cast.underflow, 0x1p-126);
  EXPECT_EQ(f16.weight.cast.roundoff, 0x1p-11);
  EXPECT_EQ(f16.weight.cast.underflow, 0x1p-25);
  EXPECT_EQ(f16.weight.cast.smallest_normal, 0x1p-14);
  EXPECT_EQ(f16.output.cast.underflow, 0x1p-25);
  EXPECT_EQ(e4m3.weight.cast.roundoff, 0x1p-4);
  EXPECT_EQ(e4m3.output.cast.roundoff, 0x1p-8);
}

TEST(DefaultNumerics, ScoreGradientsAreCastWhereWeightsAre) {
  const Numerics f32 = numerics("f32", "f32"), bf16 = numerics("bf16", "bf16"), f16 = numerics("f16", "f32");
  EXPECT_EQ(f32.gradient.cast.roundoff, 0);
  EXPECT_EQ(f32.gradient.cast.underflow, 0);
  EXPECT_EQ(bf16.gradient.cast.roundoff, 0x1p-8);
  EXPECT_EQ(bf16.gradient.cast.underflow, 0x1p-126);
  EXPECT_EQ(f16.gradient.cast.roundoff, 0x1p-11);
  EXPECT_EQ(f16.gradient.cast.underflow, 0x1p-25);
  EXPECT_EQ(f16.gradient.cast.largest, 65504);
  EXPECT_TRUE(f16.gradient.delta_from_rounded_out);
}

TEST(DefaultNumerics, F64IsDoubleThroughout) {
  const Numerics n = numerics("f64", "f64");
  EXPECT_EQ(n.value.accumulator.roundoff, 0x1p-53);
  EXPECT_EQ(n.weight.exp_error, 0x1p-51);
  EXPECT_EQ(n.output.log_sum_exp_roundoff, 0x1p-53);
}

TEST(DefaultNumerics, TheOutputHasItsOwnFormat) {
  const Numerics n = numerics("bf16", "f32");
  EXPECT_EQ(n.output.cast.roundoff, 0x1p-24);
  EXPECT_EQ(n.weight.cast.roundoff, 0x1p-8);
}

}  // namespace
}  // namespace attestone
