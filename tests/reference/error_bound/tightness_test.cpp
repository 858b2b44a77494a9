// SPDX-License-Identifier: Apache-2.0
// One source of error at a time, made large and adversarial: its term holds, and is not much larger than it must be.
//
// Where the other tests could pass because one term covers for another that is missing, these cannot.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "tests/effort.hpp"
#include "tests/reference/error_bound/emulated_kernel.hpp"
#include "tests/reference/error_bound/fills.hpp"

namespace attestone::emulation {
namespace {

struct Ratios {
  double deterministic = 0, probabilistic = 0, log_sum_exp = 0;
};

/// The largest errors over their bounds, over seeds and rows.
Ratios ratios(const std::string& shape, const std::string& fill, const Numerics& numerics, const Recipe& recipe,
              index seeds) {
  Ratios worst;
  for (index seed = 1; seed <= seeds; ++seed) {
    const Problem problem = parse_problem(fmt::format("{} seed={}", shape, seed));
    Inputs inputs(problem);
    const auto found = std::find_if(fills().begin(), fills().end(), [&](const Fill& f) { return f.name == fill; });
    found->fill(problem, problem.seed, inputs);
    fill_logits(problem.seed, inputs);
    const ForwardBound bound(problem, inputs, numerics);
    for (index query = 0; query < problem.shape.queries; ++query) {
      const auto row = bound.row(0, 0, query);
      const Row got = answer(problem, inputs, numerics, recipe, 0, 0, query);
      const ExactRow truth = exact(problem, inputs, 0, 0, query);
      const auto log_error =
          static_cast<double>(std::abs(static_cast<long double>(got.log_sum_exp) - truth.log_sum_exp));
      worst.log_sum_exp = std::max(worst.log_sum_exp, log_error / row->log_sum_exp());
      for (std::size_t c = 0; c < got.out.size(); ++c) {
        const auto error = static_cast<double>(std::abs(static_cast<long double>(got.out[c]) - truth.out[c]));
        worst.deterministic = std::max(worst.deterministic, error / row->out(static_cast<index>(c)));
        worst.probabilistic = std::max(worst.probabilistic, error / row->out_probabilistic(static_cast<index>(c)));
      }
    }
  }
  fmt::print("  r_det {:.3f}, r_prob {:.3f}, log_sum_exp {:.3f}: {}, {}\n", worst.deterministic, worst.probabilistic,
             worst.log_sum_exp, recipe.name, shape);
  return worst;
}

void expect_tight(const Ratios& worst, double deterministic, double probabilistic) {
  EXPECT_LE(worst.deterministic, 1);
  EXPECT_LE(worst.probabilistic, 1);
  EXPECT_GE(worst.deterministic, deterministic);
  EXPECT_GE(worst.probabilistic, probabilistic);
}

Numerics f32_class() { return default_numerics(dtype("f32"), dtype("f32")); }

/// f32 stored, every operation rounded to bf16: a class of its own, in which roundings are large enough to be seen.
Numerics in_bf16() {
  Numerics numerics = f32_class();
  for_each_stage(numerics,
                 [&](const char*, Stage& stage) { stage.accumulator.roundoff = dtype("bf16").unit_roundoff(); });
  numerics.weight.exp_error = dtype("bf16").unit_roundoff();
  numerics.weight.tile_keys = 0;
  return numerics;
}
const Recipe all_in_bf16{.name = "all in bf16", .all_in = "bf16"};

TEST(Tightness, Exponential) {
  Numerics numerics = f32_class();
  numerics.weight.exp_error = 0x1p-8;
  numerics.weight.tile_keys = 0;
  for (const index keys : {2, 32, 512})
    expect_tight(ratios(fmt::format("shape=1x1x4x{}x8:1", keys), "normal", numerics,
                        {.name = "exp", .exp_error = ExpError::against_first_channel}, 4),
                 0.3, 0.3);
}

TEST(Tightness, RescalingsByOneTileAfterAnother) {
  Numerics numerics = f32_class();
  numerics.weight.exp_error = 0x1p-12;
  // Every tile but the last is scaled by an exponential that errs downwards, each by as much as is allowed.
  expect_tight(ratios("shape=1x1x1x128x8:2", "rising scores of two signs", numerics,
                      {.name = "online", .tile = 1, .exp_error = ExpError::down}, 1),
               0.2, 0.2);
}

TEST(Tightness, ScoresOfOneProduct) {
  expect_tight(ratios("shape=1x1x4x2x1:2", "times three", in_bf16(), all_in_bf16, effort(200, 2000)), 0.3, 0.3);
}

TEST(Tightness, ScoresOfManyProducts) {
  expect_tight(ratios("shape=1x1x4x2x32:2", "times three", in_bf16(), all_in_bf16, effort(200, 2000)), 0.01, 0.01);
}

TEST(Tightness, LogitsOfBiasAndSink) {
  for (const std::string logits : {"bias:full", "sink:head"})
    for (const SinkAt at : {SinkAt::last, SinkAt::last_plain}) {
      Recipe recipe = all_in_bf16;
      recipe.sink_at = at;
      expect_tight(
          ratios("shape=1x1x4x2x1:2 score=" + logits, "ties, constant value", in_bf16(), recipe, effort(50, 500)), 0.05,
          0.05);
    }
}

TEST(Tightness, SinkAddedLastRescalesAll) {
  Numerics numerics = f32_class();
  numerics.weight.exp_error = 0x1p-8;
  numerics.weight.tile_keys = 0;
  expect_tight(ratios("shape=1x1x1x2x1:2 score=sink:head", "normal", numerics,
                      {.name = "sink", .exp_error = ExpError::down}, 40),
               0.4, 0.4);
}

TEST(Tightness, FactorOfDropout) {
  for (const std::string rate : {"0.5", "0.9", "0.97"})
    for (const DropoutAt at : {DropoutAt::weights, DropoutAt::answer, DropoutAt::values}) {
      Recipe recipe = all_in_bf16;
      recipe.dropout_at = at;
      expect_tight(ratios("shape=1x1x4x3x1:2 dropout=" + rate, "normal", in_bf16(), recipe, 20), 0.1, 0.1);
    }
}

/// A rate in the middle of two numbers of bf16, which matters for 1 - rate.
TEST(Tightness, RateOfDropout) {
  expect_tight(ratios("shape=1x1x300x1x1:2 dropout=0.9863", "normal", in_bf16(), all_in_bf16, 2), 0.2, 0.2);
}

/// Weights that are cast for the denominator, multiplied, and cast again.
TEST(Tightness, DropoutCastsAgain) {
  Numerics numerics = default_numerics(dtype("bf16"), dtype("f32"));
  numerics.weight.denominator_sums_cast = true;
  expect_tight(ratios("shape=1x1x4x3x1:2 dtype=bf16>f32 dropout=0.3", "ties, constant value", numerics,
                      {.name = "cast twice", .sum_cast_weights = true}, 20),
               0.1, 0.1);
}

/// With one key log_sum_exp is the score, and shows what the weights cannot: an error that all scores share.
TEST(Tightness, ScoresShowInLogSumExp) {
  const Ratios worst = ratios("shape=1x1x4x1x100:1", "swallowed products", in_bf16(), all_in_bf16, 1);
  EXPECT_LE(worst.log_sum_exp, 1);
  EXPECT_GE(worst.log_sum_exp, 0.3);
}

TEST(Tightness, TailsThatASumNeverSees) {
  Numerics numerics = f32_class();
  numerics.weight.exp_error = 0x1p-24;
  numerics.weight.tile_keys = 0;
  expect_tight(ratios("shape=1x1x1x4096x16:1", "sink and faint tail", numerics, {.name = "lost tail"}, 1), 0.01, 0.4);
}

TEST(Tightness, SumsOfValues) {
  Numerics numerics = in_bf16();
  numerics.weight.exp_error = 0;
  for (const std::string fill : {"ties, constant value", "uniform"})
    expect_tight(ratios("shape=1x1x1x60x8:2", fill, numerics, all_in_bf16, 20), 0.03, 0.03);
}

TEST(Tightness, CastOfTiedWeights) {
  for (const index keys : {100, 1000, 4000}) {
    const Numerics numerics = default_numerics(dtype("bf16"), dtype("f32"));
    expect_tight(ratios(fmt::format("shape=1x1x1x{}x16:2 dtype=bf16>f32", keys), "near-tie below a peak", numerics,
                        {.name = "cast", .tile = 64}, 1),
                 0.5, 0.5);
  }
}

TEST(Tightness, WeightsThatUnderflow) {
  // Weights of 2^-26 are zero in f16, all of them.
  const Numerics numerics = default_numerics(dtype("f16"), dtype("f32"));
  expect_tight(ratios("shape=1x1x1x4000x8:2 dtype=f16>f32", "sink of value zero", numerics, {.name = "flush"}, 1), 0.2,
               0.2);
}

TEST(Tightness, SumsThatTruncate) {
  Numerics numerics = f32_class();
  for_each_stage(numerics, [](const char*, Stage& stage) {
    stage.accumulator.truncates = true;
    stage.accumulator.roundoff *= 2;
  });
  numerics.weight.exp_error = 0x1p-24;
  numerics.weight.tile_keys = 0;
  expect_tight(ratios("shape=1x1x1x4096x8:2", "rising scores of two signs", numerics,
                      {.name = "truncating", .summation = Summation::truncating}, 1),
               0.01, 0.02);
}

}  // namespace
}  // namespace attestone::emulation
