// SPDX-License-Identifier: Apache-2.0
// One source of error at a time, made large: its term in the bounds of gradients holds, and cannot be left out.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/reference/error_bound/gradient_case.hpp"

namespace attestone::emulation {
namespace {

struct Source {
  std::string shape, fill;
  double dout_size = 1;
};

/// The largest shares of all seeds, by gradient; none may exceed 1.
NamedShares worst(const Source& source, const Numerics& numerics, const BackwardRecipe& recipe, index seeds) {
  NamedShares all;
  for (index seed = 1; seed <= seeds; ++seed) {
    const GradientCase here(fmt::format("{} seed={}", source.shape, seed), source.fill, source.dout_size, numerics);
    const NamedShares shares = here.shares(here.run(recipe));
    if (all.empty()) all = shares;
    for (std::size_t i = 0; i < shares.size(); ++i) all[i].second.see(shares[i].second);
  }
  for (const auto& [gradient, shares] : all) {
    fmt::print("  {} {:.3f} {:.3f}, {}, {}, {}\n", gradient, shares.deterministic, shares.probabilistic,
               recipe.forward.name, source.fill, source.shape);
    EXPECT_LE(shares.deterministic, 1) << gradient;
    EXPECT_LE(shares.probabilistic, 1) << gradient;
  }
  return all;
}

/// Each gradient reaches this share of its deterministic bound.
void expect_tight(const NamedShares& shares, const std::vector<std::pair<std::string, double>>& least) {
  for (const auto& [gradient, share] : least)
    for (const auto& [name, found] : shares)
      if (name == gradient) {
        EXPECT_GE(found.deterministic, share) << gradient;
      }
}

Numerics f32_class() { return default_numerics(dtype("f32"), dtype("f32")); }

/// f32 stored, every operation rounded to bf16.
Numerics in_bf16() {
  Numerics numerics = f32_class();
  const double u = dtype("bf16").unit_roundoff();
  for_each_stage(numerics, [u](const char*, Stage& stage) { stage.accumulator.roundoff = u; });
  numerics.weight.exp_error = numerics.output.log_error = numerics.output.log_sum_exp_roundoff = u;
  numerics.weight.tile_keys = 0;
  return numerics;
}
const BackwardRecipe all_in_bf16{.forward = {.name = "all in bf16", .all_in = "bf16"}};

TEST(GradientTightness, Exponential) {
  Numerics numerics = f32_class();
  numerics.weight.exp_error = 0x1p-8;
  numerics.weight.tile_keys = 0;
  // The forward pass makes log_sum_exp too small, and the backward pass every weight too large.
  const BackwardRecipe recipe{.forward = {.name = "exp", .exp_error = ExpError::down}, .exp_error = ExpError::up};
  expect_tight(worst({"shape=1x1x4x2x4 score=sink:head", "normal"}, numerics, recipe, 4),
               {{"dQ", 0.2}, {"dK", 0.2}, {"dV", 0.2}, {"dsink", 0.1}});
}

/// An error that all weights of a row share.
TEST(GradientTightness, LogSumExp) {
  Numerics numerics = f32_class();
  numerics.output.log_sum_exp_roundoff = dtype("bf16").unit_roundoff();
  const BackwardRecipe recipe{.forward = {.name = "log_sum_exp in bf16"}, .log_sum_exp_in = "bf16"};
  expect_tight(worst({"shape=1x1x16x50x8 score=sink:head", "normal"}, numerics, recipe, 4),
               {{"dQ", 0.5}, {"dK", 0.3}, {"dV", 0.3}, {"dsink", 0.05}});
}

TEST(GradientTightness, ScoresAndProductsOfFewTerms) {
  expect_tight(worst({"shape=1x1x4x2x1 score=bias:full", "times three"}, in_bf16(), all_in_bf16, effort(100, 2000)),
               {{"dQ", 0.03}, {"dK", 0.015}, {"dV", 0.03}, {"dbias", 0.03}});
}

/// One row sums over many keys, and one key over many rows.
TEST(GradientTightness, LongSums) {
  Numerics numerics = in_bf16();
  expect_tight(worst({"shape=1x1x100x2x1", "uniform"}, numerics, all_in_bf16, 4), {{"dV", 0.008}});
  expect_tight(worst({"shape=1x1x2x100x1", "uniform"}, numerics, all_in_bf16, 4), {{"dQ", 0.0005}});
}

TEST(GradientTightness, CastOfScoreGradients) {
  const Numerics numerics = default_numerics(dtype("bf16"), dtype("f32"));
  expect_tight(worst({"shape=1x1x4x2x2:1 dtype=bf16>f32 score=bias:full", "times three"}, numerics,
                     {.forward = {.name = "cast"}, .scale_at = ScaleAt::score_gradients}, 50),
               {{"dQ", 0.3}, {"dK", 0.3}, {"dV", 0.3}});
}

TEST(GradientTightness, DeltaOfRoundedOut) {
  Numerics numerics = f32_class();
  numerics.output.cast.roundoff = dtype("bf16").unit_roundoff();
  expect_tight(worst({"shape=1x1x4x20x16 dtype=f32>bf16 score=sink:head", "offset value"}, numerics,
                     {.forward = {.name = "rounded O"}}, 20),
               {{"dQ", 0.3}, {"dK", 0.2}, {"dsink", 0.1}});
}

TEST(GradientTightness, DeltaOfCastWeights) {
  Numerics numerics = default_numerics(dtype("bf16"), dtype("f32"));
  numerics.gradient.cast.roundoff = numerics.gradient.cast.underflow = 0;
  expect_tight(worst({"shape=1x1x4x3x16 dtype=bf16>f32 score=sink:head", "offset value"}, numerics,
                     {.forward = {.name = "cast weights"}}, 20),
               {{"dQ", 0.2}, {"dK", 0.1}, {"dsink", 0.05}});
}

TEST(GradientTightness, ScoreGradientsThatUnderflow) {
  const Numerics numerics = default_numerics(dtype("f16"), dtype("f32"));
  for (const ScaleAt at : {ScaleAt::sums, ScaleAt::score_gradients})
    expect_tight(worst({"shape=1x1x8x64x16 dtype=f16>f32", "normal", 1e-6}, numerics,
                       {.forward = {.name = "tiny dS"}, .scale_at = at}, 2),
                 {{"dQ", 0.05}, {"dK", 0.1}});
}

TEST(GradientTightness, WeightsThatUnderflow) {
  const Numerics numerics = default_numerics(dtype("f16"), dtype("f32"));
  expect_tight(
      worst({"shape=1x1x2x4000x8 dtype=f16>f32", "sink of value zero"}, numerics, {.forward = {.name = "tiny P"}}, 1),
      {{"dV", 0.5}});
}

TEST(GradientTightness, HyperbolicTangent) {
  Numerics numerics = f32_class();
  numerics.weight.tile_keys = 0;
  BackwardRecipe recipe{.forward = {.name = "tanh", .tanh_error = 0.99 * numerics.score.tanh_error}};
  expect_tight(worst({"shape=1x1x8x4x8 score=softcap:1", "times three"}, numerics, recipe, 8),
               {{"dQ", 0.3}, {"dK", 0.3}, {"dV", 0.3}});
}

/// Rows whose share of dV is half the last place of the sum: each addition loses its addend.
TEST(GradientTightness, AdditionsThatLoseTheirAddends) {
  const GradientCase here("shape=1x1x60x1x1", in_bf16(), [](Inputs& inputs) {
    inputs.query.fill_code(0);
    inputs.key.fill_code(0);
    inputs.value.fill_code(0);
    for (index i = 0; i < 60; ++i) inputs.dout->view().set(0, 0, i, 0, i == 0 ? 1 : 0x1p-9);
  });
  const Shares shares = here.shares(here.run(all_in_bf16)).back().second;
  EXPECT_LE(shares.deterministic, 1);
  EXPECT_GE(shares.deterministic, 0.2);
}

/// A key of little weight, whose dP loses the products of all channels but one; the other key's V is 0, and delta
/// small.
TEST(GradientTightness, ProductsOfDoutAndValue) {
  const GradientCase here("shape=1x1x1x2x1:60 score=bias:full", in_bf16(), [](Inputs& inputs) {
    inputs.query.fill_code(0);
    inputs.key.fill_code(0);
    inputs.bias->view().set(0, 0, 0, 0, 0);
    inputs.bias->view().set(0, 0, 0, 1, 4);
    for (index c = 0; c < 60; ++c) {
      inputs.dout->view().set(0, 0, 0, c, c == 0 ? 1 : 0x1p-9);
      inputs.value.view().set(0, 0, 0, c, 1);
      inputs.value.view().set(0, 0, 1, c, 0);
    }
  });
  const Shares shares = here.shares(here.run(all_in_bf16)).back().second;
  EXPECT_LE(shares.deterministic, 1);
  EXPECT_GE(shares.deterministic, 0.05);
}

TEST(GradientTightness, HeadsRoundedApart) {
  Numerics numerics = f32_class();
  numerics.output.cast.roundoff = dtype("bf16").unit_roundoff();
  expect_tight(worst({"shape=1x16/1x1x3x4 dtype=f32>bf16 score=bias:key", "normal"}, numerics,
                     {.forward = {.name = "heads apart"}, .heads_rounded_apart = true}, 20),
               {{"dV", 0.15}});
}

TEST(GradientTightness, DropoutFactor) {
  // The rate lies in the middle of two numbers of bf16, which matters for 1 - rate.
  expect_tight(worst({"shape=1x1x300x1x1 dropout=0.9863", "normal"}, in_bf16(), all_in_bf16, 4), {{"dV", 0.2}});
}

/// Numbers below the normal range of f32, read as zero or flushed where they arise.
TEST(GradientTightness, Flushing) {
  BackwardRecipe recipe{.forward = {.name = "flush", .flush = true}};
  expect_tight(worst({"shape=1x1x4x4x4 score=bias:full&sink:head", "normal", 1e-38}, f32_class(), recipe, 4),
               {{"dQ", 0.01}, {"dK", 0.01}, {"dV", 0.05}});
}

}  // namespace
}  // namespace attestone::emulation
