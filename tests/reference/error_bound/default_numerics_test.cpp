// SPDX-License-Identifier: Apache-2.0
// The table of default classes in docs/tolerance.md, number for number.
#include <gtest/gtest.h>

#include "reference/numerics.hpp"

namespace attestone {
namespace {

Numerics numerics(const std::string& input, const std::string& output) {
  return default_numerics(dtype(input), dtype(output));
}

TEST(DefaultNumerics, F32IsFullF32) {
  const Numerics n = numerics("f32", "f32");
  EXPECT_EQ(n.class_name, "fp32");
  EXPECT_EQ(n.accumulator_roundoff, 0x1p-24);
  EXPECT_FALSE(n.accumulator_truncates);
  EXPECT_EQ(n.weight_roundoff, 0);
  EXPECT_EQ(n.exp_error, 0x1p-22);
  EXPECT_EQ(n.tanh_error, 0x1p-11);
  EXPECT_EQ(n.output_roundoff, 0x1p-24);
  EXPECT_EQ(n.output_underflow, 0x1p-126);
  EXPECT_EQ(n.log_sum_exp_roundoff, 0x1p-24);
}

TEST(DefaultNumerics, NarrowInputsCastTheWeights) {
  const Numerics bf16 = numerics("bf16", "bf16"), f16 = numerics("f16", "f16"), e4m3 = numerics("e4m3", "bf16");
  EXPECT_EQ(bf16.class_name, "bf16-P");
  EXPECT_EQ(bf16.accumulator_roundoff, 0x1p-23);
  EXPECT_TRUE(bf16.accumulator_truncates);
  EXPECT_EQ(bf16.weight_roundoff, 0x1p-8);
  EXPECT_EQ(bf16.weight_underflow, 0x1p-126);
  EXPECT_EQ(f16.weight_roundoff, 0x1p-11);
  EXPECT_EQ(f16.weight_underflow, 0x1p-25);
  EXPECT_EQ(f16.weight_smallest_normal, 0x1p-14);
  EXPECT_EQ(f16.output_underflow, 0x1p-25);
  EXPECT_EQ(e4m3.weight_roundoff, 0x1p-4);
  EXPECT_EQ(e4m3.output_roundoff, 0x1p-8);
}

TEST(DefaultNumerics, ScoreGradientsAreCastWhereWeightsAre) {
  const Numerics f32 = numerics("f32", "f32"), bf16 = numerics("bf16", "bf16"), f16 = numerics("f16", "f32");
  EXPECT_EQ(f32.score_gradient_roundoff, 0);
  EXPECT_EQ(f32.score_gradient_underflow, 0);
  EXPECT_EQ(bf16.score_gradient_roundoff, 0x1p-8);
  EXPECT_EQ(bf16.score_gradient_underflow, 0x1p-126);
  EXPECT_EQ(f16.score_gradient_roundoff, 0x1p-11);
  EXPECT_EQ(f16.score_gradient_underflow, 0x1p-25);
  EXPECT_EQ(f16.score_gradient_largest, 65504);
  EXPECT_TRUE(f16.delta_from_rounded_out);
}

TEST(DefaultNumerics, F64IsDoubleThroughout) {
  const Numerics n = numerics("f64", "f64");
  EXPECT_EQ(n.accumulator_roundoff, 0x1p-53);
  EXPECT_EQ(n.exp_error, 0x1p-51);
  EXPECT_EQ(n.log_sum_exp_roundoff, 0x1p-53);
}

TEST(DefaultNumerics, TheOutputHasItsOwnFormat) {
  const Numerics n = numerics("bf16", "f32");
  EXPECT_EQ(n.output_roundoff, 0x1p-24);
  EXPECT_EQ(n.weight_roundoff, 0x1p-8);
}

}  // namespace
}  // namespace attestone
