// SPDX-License-Identifier: Apache-2.0
// The bound of the double stage is what docs/certified.md counts, each of its numbers written down here once more.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "reference/certified/forward/truth.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"

namespace attestone {
namespace {

constexpr double u = 0x1p-53, least = std::numeric_limits<double>::denorm_min();
const auto one = [](index, index) { return 1.0; };
const auto zero = [](index, index) { return 0.0; };

template <class Query, class Key, class Value>
Truth in_double(std::string_view text, Query query, Key key, Value value) {
  const Problem problem = parse_problem(text);
  Inputs inputs(problem);
  set_all(inputs.query, query), set_all(inputs.key, key), set_all(inputs.value, value);
  return certify_forward(problem, inputs, {.queries = {}, .escalate = false});
}

/// At least what the page counts, and at most its margins more, of which there are three.
void expect_bound(const Certified& found, double by_hand, const std::string& what) {
  EXPECT_GE(found.bound, by_hand * (1 + 0x1p-19)) << what;
  EXPECT_LE(found.bound, by_hand * (1 + 0x1p-16)) << what;
}

/// Values of 1, of which nothing is lost: the bound of O and of log_sum_exp for scores of relative error `scores`.
void expect_counts(const Truth& truth, double scores, double tiles, double keys, const std::string& what) {
  const double tau = scores + 4 * u, sigma = (64 + tiles) * u, lambda = (18 + tiles) * u;
  expect_bound(truth.out(0, 0, 0, 0), tau + sigma + tau + lambda + 2 * u, what);
  if (keys > 0) expect_bound(truth.log_sum_exp(0, 0, 0), tau + lambda + (8 + 3 * 3) * u * std::log(keys), what);
}

TEST(DoubleBound, CountsKeysAndTiles) {
  for (const index keys : {2, 64, 65, 200}) {
    const auto text = fmt::format("shape=1x1x1x{}x1:1 dtype=f64", keys);
    const index tiles = (keys + 63) / 64;
    expect_counts(in_double(text, zero, one, one), 0, static_cast<double>(tiles), static_cast<double>(keys), text);
  }
  const Truth truth = in_double("shape=1x1x1x200x1:1 dtype=f64 mask=window:3:0", zero, one, one);
  expect_counts(truth, 0, 1, 4, "a row counts the tiles in which it sees a key");
}

/// Magnitudes are sums over several words, whose exponents rise meanwhile: with values of 1 they stay 1.
TEST(DoubleBound, MagnitudesFollowTheExponents) {
  const auto rising = [](index key, index) { return static_cast<double>(key) / 16; };
  for (const index keys : {200, 600}) {
    const auto text = fmt::format("shape=1x1x1x{}x1:1 dtype=f64 scale=1", keys);
    expect_counts(in_double(text, one, rising, one), 0, std::ceil(static_cast<double>(keys) / 64), 0, text);
  }
}

/// The share that is kept, 1 - rate, is a rounded number, and so is its product with the sum of the weights.
TEST(DoubleBound, CountsWhatDropoutDividesBy) {
  const Truth truth = in_double("shape=1x1x1x64x1:1 dtype=f64 dropout=0.75 seed=3", zero, one, one);
  const Certified& out = truth.out(0, 0, 0, 0);
  ASSERT_GT(out.value, 0);
  expect_bound(out, (4 + 65 + 4 + 19 + 2 + 2) * u * out.value, "dropout");
}

/// Products of inexact numbers count min(16, dim) + ceil(dim / 16) roundings; the longest key counts, wherever it is.
TEST(DoubleBound, CountsChannels) {
  for (const index dim : {1, 5, 16, 17, 40})
    for (const auto& [keys, longest] : {std::pair{2, 0}, {2, 1}, {65, 0}, {65, 64}}) {
      const auto text = fmt::format("shape=1x1x1x{}x{}:1 dtype=f64 scale=0.5", keys, dim);
      const auto third = [](index, index) { return 1.0 / 3; };
      const auto d = static_cast<double>(dim), rest = 0x1p-40;
      const Truth truth = in_double(
          text, third, [&, at = longest](index key, index) { return key == at ? 1.0 / 7 : rest; }, one);
      const double roundings = std::min(16.0, d) + std::ceil(d / 16);
      expect_counts(truth, 0.5 * d / 21 * roundings * u, keys > 64 ? 2 : 1, 0, fmt::format("{} {}", text, longest));
    }
}

/// Products that fit into 53 bits are exact.
TEST(DoubleBound, ExactProductsCountNothing) {
  const auto all = [](double x) { return [x](index, index) { return x; }; };
  const char* text = "shape=1x1x1x2x1:1 dtype=f64 scale=1";
  expect_counts(in_double(text, all(1 + 0x1p-25), all(1 + 0x1p-26), one), 0, 1, 0, "|q| |k| < 2^(53 - 51)");
  expect_counts(in_double(text, all(1 + 0x1p-27), all(0.5 + 0x1p-27), one), 0.5 * 2 * u, 1, 0, "> 2^(53 - 54)");
  const auto first_only = [](index key, index) { return key == 0 ? 0.5 + 0x1p-27 : 0; };
  expect_counts(in_double(text, all(1 + 0x1p-27), first_only, one), 0.5 * 2 * u, 1, 0, "a key of few bits beside it");
}

TEST(DoubleBound, CountsScaleAndSoftcap) {
  const auto five = [](index, index) { return 5.0; };
  expect_counts(in_double("shape=1x1x1x2x1:1 dtype=f64 scale=0.25", one, five, one), 0, 1, 0, "a power of two");
  expect_counts(in_double("shape=1x1x1x2x1:1 dtype=f64 scale=3", one, five, one), 15 * u, 1, 0, "scale");
  expect_counts(in_double("shape=1x1x1x2x1:1 dtype=f64 scale=1 score=softcap:2", one, five, one), 2 * 14 * u, 1, 0,
                "a score of more than the softcap");
  expect_counts(in_double("shape=1x1x1x2x1:1 dtype=f64 scale=1 score=softcap:9", one, five, one), 5 * 14 * u, 1, 0,
                "a score of less than the softcap");
}

/// Each product of a score may lose 2^-1075, which a scale of 2^1019 magnifies.
TEST(DoubleBound, CountsProductsThatUnderflow) {
  const Truth truth = in_double("shape=1x1x1x2x14:1 dtype=f64 scale=5.6177910464447366e306", zero, zero, one);
  expect_counts(truth, (14 + 2) * 0x1p-55, 1, 0, "underflow of scores");
}

/// Values so small that nothing else is left: 4 (keys + tiles + sinks) + 1 products may underflow.
TEST(DoubleBound, CountsSumsThatUnderflow) {
  const auto tiny = [](index, index) { return 0x1p-1040; };
  for (const auto& [keys, tiles] : {std::pair{2, 1}, {65, 2}}) {
    const auto text = fmt::format("shape=1x1x1x{}x1:1 dtype=f64", keys);
    EXPECT_EQ(in_double(text, zero, zero, tiny).out(0, 0, 0, 0).bound, (4 * (65 * tiles + 1) + 1) * least);
    const auto dropped = fmt::format("{} dropout=0.75", text);
    EXPECT_EQ(in_double(dropped, zero, zero, tiny).out(0, 0, 0, 0).bound, 4 * (4 * (65 * tiles + 1) + 1) * least);
  }
}

/// A channel of zeros beside one of ones: lost weights may have been anywhere.
TEST(DoubleBound, CountsLostWeights) {
  for (const auto& [keys, tiles] : {std::pair{2, 1}, {65, 2}})
    for (const auto& [rest, factor] : {std::pair{"", 1}, {" dropout=0.75", 4}}) {
      const auto text = fmt::format("shape=1x1x1x{}x1:2 dtype=f64{}", keys, rest);
      const Truth truth = in_double(text, zero, zero, [](index key, index c) { return key == 0 && c == 1 ? 1 : 0; });
      expect_bound(truth.out(0, 0, 0, 0), (65 * tiles + 1) * 16 * 0x1p-1000 * factor, text);
    }
}

/// Scores of -1e6 are known, those of -1.2e6 are not: 1.5 * 2^20 * ln 2 lies between.
TEST(DoubleBound, EndsWithTheRangeReduction) {
  for (const auto& [score, known] : {std::pair{-1e6, true}, {-1.2e6, false}, {1.2e6, false}}) {
    const Problem problem = parse_problem("shape=1x1x1x2x1:1 dtype=f64 score=bias:full");
    Inputs inputs(problem);
    for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) set_all(*tensor, zero);
    set_all(*inputs.bias, [&, s = score](index, index) { return s; });
    const Truth truth = certify_forward(problem, inputs, {.queries = {}, .escalate = false});
    EXPECT_EQ(std::isfinite(truth.out(0, 0, 0, 0).bound), known) << score;
    EXPECT_EQ(std::isfinite(truth.log_sum_exp(0, 0, 0).bound), known) << score;
  }
}

}  // namespace
}  // namespace attestone
