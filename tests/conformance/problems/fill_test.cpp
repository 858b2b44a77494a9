// SPDX-License-Identifier: Apache-2.0
// Fills: known answers of the generator, stability under shrinking, and that each hits what it is aimed at.
#include "conformance/problems/fill.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "conformance/problems/standard_normal.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

Problem problem(const std::string& text) { return parse_problem(text); }

/// scale * q.k of one pair.
double score(const Problem& p, const Inputs& inputs, index query, index key) {
  double sum = 0;
  for (index c = 0; c < p.shape.dim; ++c)
    sum += inputs.query.view().value(0, 0, query, c) * inputs.key.view().value(0, 0, key, c);
  return p.scale() * sum;
}

TEST(Draw, GivesThePublishedPhiloxWords) {
  // Random123's known answer for a zero counter and a zero key begins with 6627e8d5 e169c58d.
  const Draw zero(0, {0, 0, 0, 0});
  EXPECT_EQ(zero.uniform(0), 0x6627e8d5p-32);
  EXPECT_EQ(zero.uniform(1), 0xe169c58dp-32);
}

TEST(Draw, IsStandardNormal) {
  double sum = 0, squares = 0;
  constexpr int count = 100000;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double x = standard_normal(Draw(5, {i, 0, 0, 0}));
    sum += x, squares += x * x;
  }
  // Five standard errors: 1/sqrt(n) of the mean, sqrt(2/n) of the variance.
  EXPECT_LT(std::abs(sum / count), 5 / std::sqrt(count));
  EXPECT_LT(std::abs(squares / count - 1), 5 * std::sqrt(2.0 / count));
}

TEST(Fill, StaysTheSameWhenTheProblemShrinks) {
  const Inputs large = filled(problem("shape=2x4x9x11x8")), small = filled(problem("shape=1x2x3x5x4"));
  for (index h = 0; h < 2; ++h)
    for (index r = 0; r < 3; ++r)
      for (index c = 0; c < 4; ++c)
        EXPECT_EQ(large.query.view().value(0, h, r, c), small.query.view().value(0, h, r, c));
}

TEST(Fill, DependsOnTheSeed) {
  EXPECT_NE(filled(problem("shape=1x1x1x1x1")).query.view().value(0, 0, 0, 0),
            filled(problem("shape=1x1x1x1x1 seed=2")).query.view().value(0, 0, 0, 0));
}

TEST(Fill, NamesWhatItDoesNotKnow) {
  EXPECT_THROW(filled(problem("shape=1x1x1x1x1 fill=nromal")), UserError);
  EXPECT_THROW(filled(problem("shape=1x1x1x1x1 fill=normal:3")), UserError);
}

TEST(FillTies, MakesEveryScoreOfARowEqual) {
  const Problem p = problem("shape=1x1x3x20x16 fill=ties dtype=bf16");
  const Inputs inputs = filled(p);
  for (index j = 1; j < 20; ++j) EXPECT_EQ(score(p, inputs, 2, j), score(p, inputs, 2, 0));
}

TEST(FillMonotone, RaisesTheMaximumOften) {
  const Problem p = problem("shape=1x1x1x200x16 fill=monotone");
  const Inputs inputs = filled(p);
  int rises = 0;
  for (double largest = -1e300, j = 0; j < 200; ++j)
    if (const double s = score(p, inputs, 0, static_cast<index>(j)); s > largest) largest = s, ++rises;
  EXPECT_GT(rises, 40);
}

TEST(FillFiniteMasks, MasksPairsAndWholeRowsByFiniteNumbers) {
  const Problem p = problem("shape=1x12x40x30x8 score=bias:full&sink:head fill=finite_masks dtype=bf16");
  const Inputs inputs = filled(p);
  const ConstView bias = std::as_const(*inputs.bias).view();
  std::set<double> masks;
  index whole = 0, ordinary = 0, some = 0;
  for (index h = 0; h < 12; ++h)
    for (index i = 0; i < 40; ++i) {
      index masked = 0;
      for (index j = 0; j < 30; ++j)
        if (const double b = bias.value(0, h, i, j); b < -1000 && std::isfinite(b)) ++masked, masks.insert(b);
      ++(masked == 30 ? whole : masked == 0 ? ordinary : some);
    }
  EXPECT_GT(std::min({whole, ordinary, some}), 60);
  EXPECT_EQ(masks.size(), 4u);
  EXPECT_EQ(*masks.begin(), -p.input.largest());
}

TEST(FillFiniteMasks, MasksByProductsWhereThereIsNoBias) {
  const Problem p = problem("shape=1x1x60x40x16 fill=finite_masks");
  const Inputs inputs = filled(p);
  index whole = 0;
  for (index i = 0; i < 60; ++i) {
    index masked = 0;
    for (index j = 0; j < 40; ++j) masked += score(p, inputs, i, j) < -9000;
    EXPECT_GT(masked, 0) << i;
    whole += masked == 40;
  }
  EXPECT_GT(whole, 5);
  EXPECT_LT(whole, 30);
}

TEST(FillSinks, GivesTheFirstKeyMostOfTheMass) {
  const Problem p = problem("shape=1x1x1x64x32 fill=sinks");
  const Inputs inputs = filled(p);
  double tail = 0;
  for (index j = 1; j < 64; ++j) tail += std::exp(score(p, inputs, 0, j) - score(p, inputs, 0, 0));
  EXPECT_LT(tail, 0.5);
}

TEST(FillLargeLogits, OffsetsEveryScoreByTenThousand) {
  const Problem p = problem("shape=1x1x1x50x64 fill=large_logits dtype=bf16");
  const Inputs inputs = filled(p);
  for (index j = 0; j < 50; ++j) EXPECT_NEAR(score(p, inputs, 0, j), 1e4, 200);
}

TEST(FillOneHot, LetsOneKeyLeadByFar) {
  const Problem p = problem("shape=1x1x8x60x16 fill=one_hot");
  const Inputs inputs = filled(p);
  for (index i = 0; i < 8; ++i) {
    std::vector<double> scores;
    for (index j = 0; j < 60; ++j) scores.push_back(score(p, inputs, i, j));
    std::ranges::sort(scores, std::greater<>());
    EXPECT_GT(scores[0] - scores[1], 104);
  }
}

TEST(FillSubnormal, ReachesBelowTheNormalRange) {
  const Inputs inputs = filled(problem("shape=1x1x1x64x16 fill=subnormal dtype=f16"));
  int subnormal = 0;
  for (index j = 0; j < 64; ++j) {
    const double v = std::abs(inputs.value.view().value(0, 0, j, 0));
    subnormal += v > 0 && v < dtype("f16").smallest_normal();
  }
  EXPECT_GT(subnormal, 10);
}

TEST(Fill, FillsBroadcastKeysOnce) {
  const Inputs inputs = filled(problem("shape=1x4/4x2x3x4 layout=broadcast"));
  EXPECT_EQ(inputs.key.view().value(0, 3, 2, 1), inputs.key.view().value(0, 0, 2, 1));
}

/// Whatever shortcut is taken.
TEST(Fill, WritesTheCodesOfTheFormat) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers{
      0.1,       -0.0,    0,      1 + 0x1p-24,    1 + 0x1.8p-23,  0x1p-149, 0x1.8p-150, 0x1p-150,
      1e-40,     -1e-320, 1e-320, 0x1.fffffep127, 0x1.ffffffp127, 1e39,     -1e39,      infinity,
      -infinity, 0.1,     0.1,    std::nan(""),   std::nan(""),   0};
  for (const char* format : {"f32", "f16", "bf16"}) {
    const Problem of_numbers = parse_problem(fmt::format("shape=1x1x{}x1x1 dtype={}", numbers.size(), format));
    const Inputs inputs =
        filled(of_numbers, [&](const Element& at) { return numbers.at(static_cast<std::size_t>(at.row)); });
    for (index row = 0; row < std::ssize(numbers); ++row)
      EXPECT_EQ(inputs.query.view().code(0, 0, row, 0), of_numbers.input.encode(numbers[static_cast<std::size_t>(row)]))
          << format << ' ' << numbers[static_cast<std::size_t>(row)];
  }
}

}  // namespace
}  // namespace attestone
