// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a kernel of codes on what they stand for.
#include "reference/quantization/coded_problem.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

#include "reference/tensor/row_reader.hpp"
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

TEST(CodedProblem, KnowsWhatValuesLost) {
  const Problem problem = parse_problem("shape=2x4/2x1x3x2 dtype=f16");
  const RandomCall call(problem);
  Numerics numerics;
  numerics.value.codes = {CodeRule::e4m3, ScaleSharing::channel, 1, Centring::rounded};
  const CodedProblem coded(problem, call.inputs, numerics);
  const ConstView value = call.inputs.value.view();
  for (index b = 0; b < 2; ++b)
    for (index h = 0; h < 4; ++h)
      for (index c = 0; c < 2; ++c) {
        double sum = 0;
        for (index j = 0; j < 3; ++j) sum += value.value(b, h / 2, j, c);
        EXPECT_EQ(coded.value_mean(b, h, c).value, dtype("f16").round(sum / 3)) << b << h << c;
      }
}

/// Seven keys in parts of four and three, five queries of three and two: what each part is by itself, and scores have
/// what they lost with the mean of their part.
TEST(CodedProblem, CodesItsPartsApart) {
  const Problem problem = parse_problem("shape=2x2/1x5x7x3 dtype=f16");
  const RandomCall call(problem);
  Numerics numerics;
  numerics.score.query_codes = {CodeRule::int8_block, ScaleSharing::rows, 2};
  numerics.score.key_codes = {CodeRule::int8_block, ScaleSharing::rows, 2, Centring::rounded};
  numerics.value.codes = {CodeRule::e4m3, ScaleSharing::channel};
  Numerics in_parts = numerics;
  for (OperandCodes* codes : {&in_parts.score.query_codes, &in_parts.score.key_codes, &in_parts.value.codes})
    codes->parts = 2;
  in_parts.score.accumulator.roundoff = 0x1p-24;
  in_parts.score.mean_product = {.roundoff = 0x1p-11, .largest = 65504};
  const CodedProblem coded(problem, call.inputs, in_parts);
  const double share = mean_product_roundoff(in_parts.score, 3);
  EXPECT_GT(share, 0x1p-11);
  EXPECT_EQ(coded.mean_product(0, 0, 0).value, 0) << "log_sum_exp lacks nothing";
  const auto numbers_of = [](const CodedProblem& of, auto member) {
    return packed_values((of.inputs().*member).view());
  };
  const auto query = numbers_of(coded, &Inputs::query), key = numbers_of(coded, &Inputs::key),
             value = numbers_of(coded, &Inputs::value);
  for (const auto& [first_query, queries, first_key, keys] :
       {std::tuple<index, index, index, index>{0, 3, 0, 4}, {3, 2, 4, 3}}) {
    Problem own = problem;
    own.shape.queries = queries, own.shape.keys = keys;
    Inputs inputs(own);
    const auto copy = [](const ConstView& from, const View& to, index first) {
      for_each_element(to,
                       [&](index b, index h, index r, index c) { to.set(b, h, r, c, from.value(b, h, first + r, c)); });
    };
    copy(call.inputs.query.view(), inputs.query.view(), first_query);
    copy(call.inputs.key.view(), inputs.key.view(), first_key);
    copy(call.inputs.value.view(), inputs.value.view(), first_key);
    const CodedProblem part(own, inputs, numerics);
    const auto part_query = numbers_of(part, &Inputs::query), part_key = numbers_of(part, &Inputs::key),
               part_value = numbers_of(part, &Inputs::value);
    for (index b = 0; b < 2; ++b)
      for (index j = 0; j < keys; ++j)
        for (index c = 0; c < 3; ++c) {
          const auto at = [&](index row, index rows) { return static_cast<std::size_t>((b * rows + row) * 3 + c); };
          EXPECT_EQ(value[at(first_key + j, 7)], part_value[at(j, keys)]);
        }
    for (index b = 0; b < 2; ++b)
      for (index h = 0; h < 2; ++h)
        for (index i = 0; i < queries; ++i)
          for (index j = 0; j < keys; ++j) {
            double score = 0, apart = part.mean_product(b, h, i).value;
            for (index c = 0; c < 6; ++c) {
              const auto k = static_cast<std::size_t>((b * 7 + first_key + j) * 6 + c);
              score += query[static_cast<std::size_t>(((b * 2 + h) * 5 + first_query + i) * 6 + c)] * key[k];
              EXPECT_NEAR(coded.slack().key[k], c < 3 ? 0 : share * std::abs(key[k]), 1e-12);
            }
            for (index c = 0; c < 3; ++c)
              apart += part_query[static_cast<std::size_t>(((b * 2 + h) * queries + i) * 3 + c)] *
                       part_key[static_cast<std::size_t>((b * keys + j) * 3 + c)];
            EXPECT_NEAR(score, apart, 1e-12);
          }
  }
  // Where a product with a mean may leave its format, K may be anything.
  in_parts.score.mean_product.largest = 1e-3;
  EXPECT_GT(CodedProblem(problem, call.inputs, in_parts).slack().key[3], 1e300);
}

}  // namespace
}  // namespace attestone
