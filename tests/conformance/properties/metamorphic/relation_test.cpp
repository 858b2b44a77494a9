// SPDX-License-Identifier: Apache-2.0
// What relations are made of: sums that are exact, truths that move, merges that stay within their bound.
#include "conformance/properties/metamorphic/relation.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "conformance/properties/metamorphic/merged_row.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

constexpr const char* formats[] = {"f32", "f16", "bf16", "e4m3", "e5m2"};

Tensor keys_of(const char* format, std::uint64_t seed, const char* fill) {
  Problem problem = parse_problem(std::string("shape=1x1x1x9x7 fill=") + fill);
  problem.seed = seed;
  problem.input = problem.output = dtype(format);
  return filled(problem).key;
}

bool is_exact(const DType& format, double x) { return std::abs(x) > format.largest() || format.round(x) == x; }

TEST(BitToSpare, MakesSumsExact) {
  for (const char* format : formats)
    for (const char* fill : {"normal", "uniform", "subnormal", "outliers", "few_valued"})
      for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Tensor original = keys_of(format, seed, fill), coarse = with_a_bit_to_spare(original);
        const double size = std::ldexp(1.0, largest_exponent(original.view()) + 1);
        const std::vector<double> values = packed_values(coarse.view());
        for (const double x : values) {
          ASSERT_TRUE(is_exact(dtype(format), x + size) && is_exact(dtype(format), x - size)) << format << " " << x;
          for (const double y : values) ASSERT_TRUE(is_exact(dtype(format), x + y)) << format << " " << x << " " << y;
        }
      }
}

TEST(PowerOfTwo, IsRefusedWhereItRounds) {
  const Tensor key = keys_of("f16", 1, "normal");
  EXPECT_TRUE(times_power_of_two(key, 3));
  EXPECT_FALSE(times_power_of_two(key, 16));
  EXPECT_FALSE(times_power_of_two(key, -24));
  const Tensor moved = *times_power_of_two(key, -2);
  EXPECT_EQ(moved.view().value(0, 0, 4, 2) * 4, key.view().value(0, 0, 4, 2));
}

TEST(Moved, KeepsWhatIsKnownOfSampledRows) {
  const Problem whole = parse_problem("shape=1x2x6x5x3"), last = parse_problem("shape=1x2x3x5x3");
  const Truth sampled = certify_forward(whole, filled(whole), {.queries = std::vector<index>{0, 4, 5}});
  const Truth truth = moved(sampled, last, [](const AnswerRow& row) {
    return AnswerRow{row.batch, 1 - row.head, row.query + 3};
  });
  EXPECT_EQ(truth.queries(), (std::vector<index>{1, 2}));
  EXPECT_EQ(truth.out(0, 0, 1, 2).value, sampled.out(0, 1, 2, 2).value);
  EXPECT_EQ(truth.log_sum_exp(0, 1, 0).value, sampled.log_sum_exp(0, 0, 1).value);
}

TEST(SeesTheSame, ComparesPairs) {
  const Problem causal = parse_problem("shape=1x1x4x4x1 mask=causal");
  const Problem prefix = parse_problem("shape=1x1x2x2x1 mask=causal");
  EXPECT_TRUE(sees_the_same(prefix, causal, same_row));
  const RowOrigin later = [](const AnswerRow& row) { return AnswerRow{row.batch, row.head, row.query + 1}; };
  EXPECT_FALSE(sees_the_same(prefix, causal, later));
  EXPECT_FALSE(sees_the_same(parse_problem("shape=1x1x2x3x1"), causal, same_row));
}

/// A bound of 2^-10 for everything.
class EqualBound : public RowBound {
 public:
  static constexpr double bound = 0x1p-10;

  index visible_keys() const override { return 1; }
  double out(index) const override { return bound; }
  double out_probabilistic(index) const override { return bound; }
  double out_probabilistic_at_least(index) const override { return bound; }
  double log_sum_exp() const override { return bound; }
  double log_sum_exp_probabilistic() const override { return bound; }
  double max_logits() const override { return bound; }
  double mean_value(index) const override { return 0; }
  bool infinity_may_be_nan() const override { return false; }
  GainTerms gain_terms(std::span<const double>) const override { return {}; }
};

TEST(MergedRow, StaysWithinItsBoundWhereTheErrorsAreWorst) {
  const double right_sum = std::log(std::exp(0.5) + std::exp(-0.25));
  const double right = std::exp(0.5 - right_sum) * 3 - std::exp(-0.25 - right_sum) * 2;
  double worst = 0;
  for (const double a : {-1, 1})
    for (const double b : {-1, 1})
      for (const double c : {-1, 1})
        for (const double d : {-1, 1}) {
          const double e = EqualBound::bound;
          const MergedRow merged({0.5 + a * e, {3 + b * e}, std::make_unique<EqualBound>()},
                                 {-0.25 + c * e, {-2 + d * e}, std::make_unique<EqualBound>()});
          EXPECT_LE(std::abs(merged.got(log_sum_exp_channel) - right_sum), merged.allowed(log_sum_exp_channel));
          EXPECT_LE(std::abs(merged.got(0) - right), merged.allowed(0));
          worst = std::max(worst, std::abs(merged.got(0) - right) / merged.allowed(0));
        }
  EXPECT_GT(worst, 0.9);  // and the bound is near what can happen
}

/// A part whose log_sum_exp may be anything says nothing of the weights, however far apart the parts seem.
TEST(MergedRow, KnowsThatAnErrorMayTurnWeightsRound) {
  class Unsure final : public EqualBound {
   public:
    double log_sum_exp() const override { return 1e14; }
  };
  const MergedRow merged({0, {-0.75}, std::make_unique<Unsure>()}, {-10000, {0.25}, std::make_unique<EqualBound>()});
  EXPECT_EQ(merged.got(0), -0.75);
  EXPECT_GT(merged.allowed(0), 1);
  const MergedRow sure({0, {-0.75}, std::make_unique<EqualBound>()}, {-10000, {0.25}, std::make_unique<EqualBound>()});
  EXPECT_LT(sure.allowed(0), 2 * EqualBound::bound);
}

}  // namespace
}  // namespace attestone
