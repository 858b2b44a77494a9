// SPDX-License-Identifier: Apache-2.0
// The weight of the largest score is exp(0): its cast moves nothing, where nothing stands between the two.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone {
namespace {

constexpr double u = 0x1p-8;  // of bf16

/// The largest effect on O of the cast of the last key's weight, where three keys have these scores. The second score
/// is the sum of two products, one of which is `part`.
double effect_of_the_last(
    const std::string& problem, const std::array<double, 3>& scores, void (*change)(Numerics&) = [](Numerics&) {},
    double part = 0) {
  const Problem p = parse_problem("shape=1x1x1x3x2 scale=1 dtype=bf16>f32 " + problem);
  Inputs inputs(p);
  for (index c = 0; c < 2; ++c) inputs.query.view().set(0, 0, 0, c, 1);
  for (index j = 0; j < 3; ++j) {
    const double second = j == 1 ? part : 0;
    inputs.key.view().set(0, 0, j, 0, scores[static_cast<std::size_t>(j)] - second);
    inputs.key.view().set(0, 0, j, 1, second);
    inputs.value.view().set(0, 0, j, 0, j == 2 ? 1 : -1);
  }
  Numerics numerics = default_numerics(p.input, p.output);
  numerics.weight.normalised = false;
  change(numerics);
  const ForwardBound bound(p, inputs, numerics);
  const std::array<double, 2> direction{1, 0};
  return bound.row(0, 0, 0)->gain_terms(direction).casts.front().back().error;
}

TEST(CastToOne, MovesNothingWhereOneScoreIsLargest) {
  EXPECT_LT(effect_of_the_last("", {1, 2, 4}), 0.01 * u);
  EXPECT_LT(effect_of_the_last("score=sink:head", {1, 2, 4}), 0.01 * u);
}

TEST(CastToOne, MovesAsMuchAsAnyCastWhereItIsNotSure) {
  EXPECT_GT(effect_of_the_last("", {1, 4, 4}), 0.1 * u) << "either may be the larger one";
  EXPECT_GT(effect_of_the_last("", {1, 4, 2}), 0.05 * u) << "another one is";
  EXPECT_GT(effect_of_the_last("", {1, 2, 4}, [](Numerics& n) { n.weight.normalised = true; }), 0.1 * u);
  EXPECT_GT(effect_of_the_last("", {1, 2, 4}, [](Numerics& n) { n.weight.reference_above = 8; }), 0.1 * u);
  EXPECT_GT(effect_of_the_last("", {1, 2, 4}, [](Numerics& n) { n.weight.exp_error = 0.4 * u; }), 0.5 * u)
      << "it may be cast to the number beside 1";
  EXPECT_GT(effect_of_the_last(
                "", {-1, 0, 0.0625}, [](Numerics& n) { n.score.accumulator.roundoff = 0x1p-14; }, 128),
            0.2 * u)
      << "the sum of the other score may hide which one is larger";
}

TEST(CastToOne, IsNoMatterOfDroppedWeights) {
  double largest = 0;
  for (int seed = 1; seed <= 8; ++seed)
    largest = std::max(largest, effect_of_the_last(fmt::format("dropout=0.3 seed={}", seed), {1, 2, 4}));
  EXPECT_GT(largest, 0.1 * u) << "what is cast is the weight times 1 / (1 - rate)";
}

}  // namespace
}  // namespace attestone
