// SPDX-License-Identifier: Apache-2.0
// Bounds of kernels that compute with codes: what the codes alone do lies at the bound, and never beyond.
#include "reference/error_bound/forward/coded_row.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference/error_bound/gradient/gradient_bound.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/reference/error_bound/emulated_kernel.hpp"
#include "tests/reference/error_bound/forward/bare_row.hpp"

namespace attestone::emulation {
namespace {

Numerics with_codes(Centring centring, bool scaled_before = false) {
  Numerics numerics = faultless();
  numerics.score.query_codes = {CodeRule::int8_block, ScaleSharing::rows, 4, Centring::none};
  numerics.score.key_codes = {CodeRule::int8_thread, ScaleSharing::key_thread, 8, centring};
  numerics.value.codes = {CodeRule::e4m3, ScaleSharing::channel, 1, Centring::none};
  numerics.score.scaled_before_codes = scaled_before;
  return numerics;
}

/// Expects the exact answer to the codes to lie at the bound around the exact answer to the given numbers. `slack`
/// covers the roundings of double with which that distance is computed.
void expect_at_bound(const Problem& problem, const Numerics& numerics, double slack) {
  const RandomCall call(problem);
  const CodedProblem coded(problem, call.inputs, numerics);
  const ForwardBound bound(problem, call.inputs, numerics);
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < problem.shape.queries; ++i) {
        const ExactRow given = exact(problem, call.inputs, b, h, i),
                       of_codes = exact(coded.problem(), coded.inputs(), b, h, i);
        const auto row = bound.row(b, h, i);
        if (row->visible_keys() == 0) continue;
        for (std::size_t c = 0; c < given.out.size(); ++c) {
          const auto channel = static_cast<index>(c);
          const double mean = coded.value_mean(b, h, channel).value;
          const double moved =
              static_cast<double>(std::abs(of_codes.out[c] + static_cast<long double>(mean) - given.out[c]));
          EXPECT_LE(moved, row->out_probabilistic_at_least(channel)) << problem.text();
          EXPECT_LE(row->out_probabilistic_at_least(channel), row->out_probabilistic(channel));
          EXPECT_LE(row->out_probabilistic(channel), row->out(channel));
          EXPECT_NEAR(row->out(channel), moved, slack) << problem.text();
        }
        const double mean_product = given_back(coded, numerics, problem.scale(), b, h, i).value;
        const double moved = static_cast<double>(
            std::abs(of_codes.log_sum_exp + static_cast<long double>(mean_product) - given.log_sum_exp));
        EXPECT_NEAR(row->log_sum_exp(), moved, slack) << problem.text();
        EXPECT_GE(row->log_sum_exp(), moved) << problem.text();
      }
}

TEST(CodedRow, LiesAtItsBound) {
  const char* problems[] = {
      "shape=1x2/1x5x19x8",           "shape=2x2x9x9x16 mask=causal",     "shape=1x1x3x40x8 scale=-0.5",
      "shape=1x4/2x6x11x4 lengths=7", "shape=1x1x4x17x8 score=softcap:3", "shape=1x2x4x17x8 score=alibi"};
  for (const std::string problem : problems)
    for (index seed = 0; seed < effort(3, 100); ++seed) {
      const Problem call = parse_problem(problem + " dtype=bf16 seed=" + std::to_string(seed));
      expect_at_bound(call, with_codes(Centring::none), 1e-9);
      expect_at_bound(call, with_codes(Centring::none, true), 1e-9);
      if (!call.score.softcap()) expect_at_bound(call, with_codes(Centring::rounded), 1e-9);
      Numerics smooth = with_codes(Centring::none);
      smooth.value.codes.centring = Centring::whole_in_f32;
      expect_at_bound(call, smooth, 1e-9);
    }
}

/// A constant added to all keys changes nothing but log_sum_exp, which is given back its product with the query.
TEST(CodedRow, GivesLogSumExpTheMeanBack) {
  const Problem problem = parse_problem("shape=1x1x2x6x4 dtype=f16 scale=1");
  RandomCall call(problem);
  const View key = call.inputs.key.view(), query = call.inputs.query.view();
  for (index j = 0; j < 6; ++j)
    for (index c = 0; c < 4; ++c) key.set(0, 0, j, c, 8);
  const Numerics numerics = with_codes(Centring::rounded);
  const CodedProblem coded(problem, call.inputs, numerics);
  for (index i = 0; i < 2; ++i) {
    double product = 0;
    for (index c = 0; c < 4; ++c) product += 8 * query.value(0, 0, i, c);
    EXPECT_NEAR(coded.mean_product(0, 0, i).value, product, 1e-12);
    EXPECT_NEAR(static_cast<double>(exact(coded.problem(), coded.inputs(), 0, 0, i).log_sum_exp), std::log(6), 1e-12);
    const ForwardBound bound(problem, call.inputs, numerics);
    EXPECT_LT(bound.row(0, 0, i)->log_sum_exp(), 1e-9);
    Numerics rounded = numerics;
    rounded.score.mean_product = {.roundoff = 0x1p-11, .underflow = 0x1p-9, .largest = std::abs(product) * 1.25};
    const ForwardBound with_product(problem, call.inputs, rounded);
    EXPECT_GT(with_product.row(0, 0, i)->log_sum_exp(), 0x1p-11 * std::abs(product) + 0x1p-9);
    EXPECT_TRUE(std::isfinite(with_product.row(0, 0, i)->log_sum_exp()));
    rounded.score.mean_product.roundoff = 0;
    const ForwardBound of_small_products(problem, call.inputs, rounded);
    EXPECT_GT(of_small_products.row(0, 0, i)->log_sum_exp(), 0x1p-9);
    rounded.score.mean_product.largest = std::abs(product) / 1.25;
    const ForwardBound out_of_range(problem, call.inputs, rounded);
    EXPECT_TRUE(std::isinf(out_of_range.row(0, 0, i)->log_sum_exp()));
  }
}

/// The mean that V lost, and every rounding that its sum with O goes through.
TEST(CodedRow, GivesOutTheMeanBack) {
  const Problem problem = parse_problem("shape=1x2/1x2x6x4 dtype=f16");
  RandomCall call(problem);
  for (index j = 0; j < 6; ++j)
    for (index c = 0; c < 4; ++c) call.inputs.value.view().set(0, 0, j, c, 1024);
  Numerics numerics = with_codes(Centring::none);
  numerics.value.codes.centring = Centring::rounded;
  const CodedProblem coded(problem, call.inputs, numerics);
  EXPECT_EQ(coded.value_mean(0, 1, 3).value, 1024);
  const auto bound_with = [&](double sum, double stored, double error, double largest) {
    Numerics rounding = numerics;
    rounding.output.accumulator.roundoff = sum;
    rounding.output.cast = {.roundoff = stored, .largest = largest};
    rounding.value.codes.mean_error = error;
    const ForwardBound bound(problem, call.inputs, rounding);
    return bound.row(0, 1, 0)->out(2);
  };
  EXPECT_LT(bound_with(0, 0, 0, 65504), 1e-9);
  EXPECT_NEAR(bound_with(0x1p-10, 0, 0, 65504), 1, 1e-9);
  EXPECT_NEAR(bound_with(0, 0x1p-11, 0, 65504), 0.5, 1e-9);
  EXPECT_GE(bound_with(0, 0, 0x1p-9, 65504), 4) << "twice 2, each way";
  EXPECT_TRUE(std::isinf(bound_with(0, 0, 0, 2000)));
}

/// Nothing is said of rows that read a scale of what is not finite; others keep their bounds.
TEST(CodedRow, OfWhatIsNotFiniteHasNoBound) {
  const Problem problem = parse_problem("shape=1x1x3x16x4 mask=causal dtype=bf16");
  RandomCall call(problem);
  call.inputs.key.view().set(0, 0, 15, 0, std::numeric_limits<double>::infinity());  // that the last query sees
  Numerics numerics = with_codes(Centring::none);
  const ForwardBound bound(problem, call.inputs, numerics);
  // It shares the scale of keys 14 and 15 alone, and the first query sees neither.
  EXPECT_TRUE(std::isinf(bound.row(0, 0, 1)->out(0)));
  EXPECT_TRUE(std::isinf(bound.row(0, 0, 2)->out(0)));
  EXPECT_TRUE(std::isfinite(bound.row(0, 0, 0)->out(0)));
  numerics = with_codes(Centring::rounded);
  const ForwardBound centred(problem, call.inputs, numerics);
  EXPECT_TRUE(std::isinf(centred.row(0, 0, 0)->out(0)));
}

/// A fixed scale makes a number of an infinity.
TEST(CodedRow, OfWhatSaturatesMayBeANumber) {
  const Problem problem = parse_problem("shape=1x1x1x4x2 dtype=bf16");
  RandomCall call(problem);
  Numerics numerics = faultless();
  numerics.value.codes = {CodeRule::e4m3, ScaleSharing::channel};
  numerics.value.codes.fixed_largest = 3;
  const auto says_nothing = [&] {
    const ForwardBound bound(problem, call.inputs, numerics);
    return bound.row(0, 0, 0)->reads_codes_of_no_number();
  };
  EXPECT_FALSE(says_nothing());
  call.inputs.value.view().set(0, 0, 1, 1, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(says_nothing());
  numerics.value.codes = {};
  numerics.score.key_codes = {CodeRule::e4m3, ScaleSharing::head};
  EXPECT_FALSE(says_nothing()) << "V is as it is given";
  call.inputs.key.view().set(0, 0, 1, 1, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(says_nothing());
}

TEST(CodedRow, SaysNothingOfGradients) {
  const Problem problem = parse_problem("shape=1x1x2x3x4 dtype=bf16 pass=forward+backward");
  const RandomCall call(problem);
  EXPECT_TRUE(std::isfinite(gradient_bounds(problem, call.inputs, faultless()).query.deterministic(0, 0, 0, 0)));
  const GradientBounds bounds = gradient_bounds(problem, call.inputs, with_codes(Centring::none));
  for (const ElementBounds* each : {&bounds.query, &bounds.key, &bounds.value})
    EXPECT_TRUE(std::isinf(each->deterministic(0, 0, 0, 0)) && std::isinf(each->probabilistic(0, 0, 0, 0)));
}

}  // namespace
}  // namespace attestone::emulation
