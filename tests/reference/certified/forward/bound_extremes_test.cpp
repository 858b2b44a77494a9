// SPDX-License-Identifier: Apache-2.0
// Terms of the double bound that ordinary numbers never reach: attained at the ends of double, and by scores far apart.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "reference/certified/forward/truth.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"
#include "tests/reference/certified/forward/mpfr_oracle.hpp"

namespace attestone {
namespace {

/// Error / bound of O's channel 0 in the only row, without escalation; the input's own bias, if it has one, is `bias`.
template <class Query, class Key, class Value, class BiasOf>
double attained(std::string_view text, Query query, Key key, Value value, BiasOf bias) {
  const Problem problem = parse_problem(text);
  Inputs inputs(problem);
  set_all(inputs.query, query), set_all(inputs.key, key), set_all(inputs.value, value);
  if (inputs.bias) set_all(*inputs.bias, bias);
  const Certified out = certify_forward(problem, inputs, {.queries = {}, .escalate = false}).out(0, 0, 0, 0);
  const double error = oracle_row(problem, inputs, 0, 0, 0).out[0]->distance(out.value);
  fmt::print("  {:.4f} of its bound: error {:.3g}\n", error / out.bound, error);
  EXPECT_LE(error, out.bound) << text;
  return error / out.bound;
}

const auto none = [](index, index) { return 0.0; };

/// Products of small weights and values of which just less than half the least double is lost, beside a total of 0.71.
TEST(BoundExtremes, ProductsOfValuesUnderflow) {
  const double least = std::numeric_limits<double>::denorm_min();
  const auto score = [](index key, index) { return key == 0 ? -0.346 : -40 * std::log(2); };
  const auto value = [=](index key, index) { return key == 0 ? 0 : 0x0.7d8p40 * least; };
  EXPECT_GT(attained(
                "shape=1x1x1x64x1:1 dtype=f64 scale=1", [](index, index) { return 1; }, score, value, none),
            0.15);
}

/// Sixty weights just below 2^-1000 are lost; the four keys of the first group, whose bounds are one, have values of 0.
TEST(BoundExtremes, LostWeights) {
  const auto score = [](index key, index) { return key == 0 ? 0 : -1000.51 * std::log(2); };
  const auto value = [](index key, index) { return key < 4 ? 0 : 1; };
  EXPECT_GT(attained(
                "shape=1x1x1x64x1:1 dtype=f64 scale=1", [](index, index) { return 1; }, score, value, none),
            0.03);
}

/// A bias of 2^19 rounds the sums with two scores, up and down; TwoSum keeps what is lost.
TEST(BoundExtremes, SumsWithBiasesLoseNothing) {
  const auto key = [](index k, index) { return k == 0 ? 0x1.8p-35 : -0x1.8p-35; };
  const auto value = [](index k, index) { return k == 0 ? 1 : -1; };
  attained(
      "shape=1x1x1x2x1:1 dtype=f64 scale=1 score=bias:full", [](index, index) { return 1; }, key, value,
      [](index, index) { return 0x1p19; });
}

/// A later tile whose scores lie so far below the others' that no power of two could rescale them.
TEST(BoundExtremes, ALaterTileMayBeFarBelow) {
  for (const double low : {-800.0, -2000.0}) {
    const auto score = [&](index key, index) { return key == 64 ? low : 0.25 * static_cast<double>(key % 3); };
    const auto value = [](index key, index) { return static_cast<double>(key % 5) - 1; };
    const double share = attained(
        "shape=1x1x1x65x1:1 dtype=f64 scale=1", [](index, index) { return 1; }, score, value, none);
    EXPECT_LE(share, 1) << "and known at all: " << low;
  }
}

}  // namespace
}  // namespace attestone
