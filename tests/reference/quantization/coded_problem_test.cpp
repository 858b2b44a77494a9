// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a kernel of codes on what they stand for.
#include "reference/quantization/coded_problem.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/random_call.hpp"

namespace attestone {
namespace {

TEST(WithoutCodes, AScoreLosesWhatItsProductWithTheMeanDoes) {
  Numerics numerics;
  numerics.score.query_codes = {CodeRule::nvfp4, ScaleSharing::channels, 16, Centring::rounded};
  numerics.score.query_mean_product.underflow = 0x1p-25;
  numerics.score.stored.underflow = 0x1p-30;
  const Numerics bare = without_codes(numerics);
  EXPECT_FALSE(computes_with_codes(bare));
  EXPECT_EQ(bare.score.stored.underflow, 0x1p-25 + 0x1p-30);
}

TEST(WithoutCodes, ASumWithTheMeanOfValuesIsRounded) {
  Numerics numerics;
  numerics.output.accumulator.roundoff = 0x1p-11;
  numerics.value.codes = {CodeRule::e4m3, ScaleSharing::channel, 1, Centring::whole_in_f32};
  EXPECT_EQ(without_codes(numerics).value.operand_roundoff, 0x1p-11);
  numerics.value.codes.centring = Centring::none;
  EXPECT_EQ(without_codes(numerics).value.operand_roundoff, 0);
}

/// Where every code may be another one, and K has its mean behind itself: all that may be off stands where it belongs.
TEST(CodedProblem, HasTheSlackOfItsRows) {
  const Problem problem = parse_problem("shape=2x2/1x3x4x2 dtype=f16 lengths=3+4");
  const RandomCall call(problem);
  const Inputs& inputs = call.inputs;
  Numerics numerics;
  numerics.score.query_codes = {CodeRule::int8_block, ScaleSharing::rows, 1, Centring::rounded};
  numerics.score.key_codes = numerics.score.query_codes;
  numerics.value.codes = {CodeRule::int8_block, ScaleSharing::channel};
  EXPECT_TRUE(CodedProblem(problem, inputs, numerics).slack().value.empty());
  numerics.score.query_mean_product.roundoff = 0x1p-10;
  for (OperandCodes* codes : {&numerics.score.query_codes, &numerics.score.key_codes, &numerics.value.codes})
    codes->quotient_error = 0.5;
  const CodedProblem coded(problem, inputs, numerics);
  const auto expect = [&](std::span<const double> slack, const View& of, index channels, double mean_share) {
    std::size_t at = 0;
    for_each_element(of, [&](index b, index h, index r, index c) {
      const double own = slack[at++], x = std::abs(of.value(b, h, r, c));
      const bool exists = r < of.extents()[2] && !(of.extents()[2] == 4 && b == 0 && r == 3);
      if (!exists || x == 0) return;
      if (c < channels)
        EXPECT_GT(own, 0.3 * x) << b << h << r << c;
      else
        EXPECT_NEAR(own, mean_share * x, 1e-9 * x) << b << h << r << c;
    });
    EXPECT_EQ(at, slack.size());
  };
  Inputs numbers = coded.inputs();
  expect(coded.slack().query, numbers.query.view(), 2, 0);
  expect(coded.slack().key, numbers.key.view(), 2, 0x1p-10);
  expect(coded.slack().value, numbers.value.view(), 2, 0);
}

}  // namespace
}  // namespace attestone
