// SPDX-License-Identifier: Apache-2.0
// A correct backward pass never exceeds its bounds, whatever the inputs, the order of its sums and the luck of its
// roundings.
// slow: judges many problems
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "tests/effort.hpp"
#include "tests/reference/error_bound/gradient_case.hpp"
#include "tests/test_name.hpp"

namespace attestone::emulation {
namespace {

std::vector<BackwardRecipe> recipes(const std::string& dtype) {
  using enum Summation;
  std::vector<BackwardRecipe> all{
      {.forward = {.name = "plain", .exp_error = ExpError::against_first_channel}, .delta_from = DeltaFrom::rows},
      {.forward = {.name = "flash", .summation = fused, .tile = 64, .base_two = true, .reciprocal = true},
       .scale_at = ScaleAt::score_gradients},
      {.forward = {.name = "eight lanes, flushing",
                   .summation = eight_lanes,
                   .tile = 16,
                   .flush = true,
                   .exp_error = ExpError::down,
                   .sink_at = SinkAt::first,
                   .dropout_at = DropoutAt::answer},
       .heads_rounded_apart = true},
      {.forward = {.name = "descending",
                   .summation = pairwise,
                   .tile = 32,
                   .descending = true,
                   .exp_error = ExpError::up,
                   .dropout_at = DropoutAt::values},
       .delta_from = DeltaFrom::accumulated,
       .scale_at = ScaleAt::score_gradients,
       .descending = true},
  };
  if (!dtype.starts_with("f32"))
    all.push_back({.forward = {.name = "tensor cores",
                               .summation = truncating,
                               .tile = 64,
                               .flush = true,
                               .base_two = true,
                               .exp_error = ExpError::against_first_channel}});
  return all;
}

struct Variant {
  std::string shape_and_terms, fill;
  double dout_size = 1;
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  const std::string shape = effort(0, 1) ? "shape=1x1x96x100x16" : "shape=1x1x84x84x8";
  for (const std::string fill :
       {"normal", "times three", "uniform", "sink and tail", "offset value", "ties, constant value",
        "near-tied clusters", "repeated keys", "rising scores of two signs", "small integers"})
    all.push_back({shape, fill});
  all.push_back({shape, "normal", 1e-3});
  all.push_back({shape, "times three", 1e-5});
  all.push_back({shape + " score=softcap:5", "times three"});
  all.push_back({shape + " score=softcap:30", "normal"});
  all.push_back({shape + " dropout=0.1", "normal"});
  all.push_back({shape + " dropout=0.5 score=softcap:5&bias:full&sink:head", "uniform"});
  all.push_back({"shape=2x6/2x17x33x8:5 mask=causal score=bias:key&sink:head", "normal"});
  all.push_back({"shape=2x4/2x33x17x8 mask=window:5:3 score=bias:head", "offset value"});
  all.push_back({"shape=2x4/1x9x40x8 mask=causal lengths=40+3 score=softcap:30&alibi dropout=0.5", "normal"});
  all.push_back({"shape=1x2x20x1x8 score=sink:head", "normal"});
  all.push_back({"shape=1x2x20x1x8", "uniform"});
  return all;
}

class CorrectGradients : public testing::TestWithParam<std::string> {
 protected:
  ~CorrectGradients() override {
    for (const auto& [gradient, shares] : worst_)
      fmt::print("{} {}: worst r_det {:.3f}, r_prob {:.3f}\n", GetParam(), gradient, shares.deterministic,
                 shares.probabilistic);
  }

  /// The variant with this seed, as kernels of this arithmetic compute it: by every recipe.
  void expect_within_bounds(const Variant& variant, index seed, const Numerics& numerics) {
    const std::string line = line_of(variant, seed);
    const GradientCase here(line, variant.fill, variant.dout_size, numerics);
    for (BackwardRecipe recipe : recipes(GetParam())) {
      recipe.forward.tanh_error = recipe.descending ? 0 : 0.99 * here.numerics.score.tanh_error;
      for (const auto& [gradient, shares] : here.shares(here.run(recipe))) {
        EXPECT_LE(shares.deterministic, 1)
            << gradient << ": " << variant.fill << " '" << line << "' " << recipe.forward.name;
        EXPECT_LE(shares.probabilistic, 1)
            << gradient << ": " << variant.fill << " '" << line << "' " << recipe.forward.name;
        if (shares.probabilistic > 0.5)
          fmt::print("{:.2f} {}: {}, '{}', {}\n", shares.probabilistic, gradient, variant.fill, line,
                     recipe.forward.name);
        worst_[gradient].see(shares);
      }
    }
  }

  static std::string line_of(const Variant& variant, index seed) {
    return fmt::format("{} dtype={} seed={}", variant.shape_and_terms, GetParam(), seed);
  }
  static Numerics defaults() {
    const Problem problem = parse_problem("shape=1x1x1x1x1 dtype=" + GetParam());
    return default_numerics(problem.input, problem.output);
  }

 private:
  std::map<std::string, Shares> worst_;
};

TEST_P(CorrectGradients, StayWithinTheirBounds) {
  for (const Variant& variant : variants())
    for (index seed = 1; seed <= effort(1, 6); ++seed) expect_within_bounds(variant, seed, defaults());
}

/// CUTLASS's fused attention makes both dV and dS from one tile of cast weights.
TEST_P(CorrectGradients, StayWithinTheirBoundsWhereDsIsMadeOfCastWeights) {
  Numerics numerics = defaults();
  numerics.gradient.weight = {.roundoff = numerics.weight.cast.roundoff, .underflow = numerics.weight.cast.underflow};
  const std::string shape = "shape=1x2x48x60x8";
  for (const Variant& variant :
       {Variant{shape, "normal"}, Variant{shape, "sink and tail"}, Variant{shape, "times three", 1e-5},
        Variant{shape + " mask=causal score=softcap:5&bias:key&sink:head", "uniform"}})
    for (index seed = 1; seed <= effort(1, 6); ++seed) expect_within_bounds(variant, seed, numerics);
}

/// Kernels that multiply whole matrices, one after the other, keep dP in the format of the inputs.
TEST_P(CorrectGradients, StayWithinTheirBoundsWhereDpIsStored) {
  Numerics numerics = defaults();
  numerics.gradient.stored = numerics.gradient.cast;
  const std::string shape = "shape=1x2x48x60x8";
  for (const Variant& variant :
       {Variant{shape, "normal"}, Variant{shape, "offset value"}, Variant{shape, "times three", 1e-5},
        Variant{shape + " mask=causal score=softcap:5&bias:key&sink:head dropout=0.2", "uniform"}})
    for (index seed = 1; seed <= effort(1, 6); ++seed) expect_within_bounds(variant, seed, numerics);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, CorrectGradients, testing::Values("f32", "f16", "bf16", "bf16>f32"), by_parameter);

}  // namespace
}  // namespace attestone::emulation
