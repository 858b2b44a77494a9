// SPDX-License-Identifier: Apache-2.0
// Maxima that are known beforehand: near both ends of what weights can hold, and beyond them.
#include "backends/cpu/attend/fixed_maxima.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "backends/catalogue.hpp"
#include "tests/random_call.hpp"

namespace attestone {
namespace {

/// Queries (x, 0) and (-x, 0), keys (x, 0), every other one a bit shorter if it is said: the first query's scores reach
/// `orders` = x^2 log2(e), a bound of all scores, and those of the second one are as far below 0.
RandomCall call_at(double orders, const char* fields = "", double others = 1) {
  RandomCall call(parse_problem(std::string("shape=1x1x2x40x2 scale=1 ") + fields));
  const double x = std::sqrt(orders / std::numbers::log2e);
  for (index i = 0; i < 2; ++i)
    for (index c = 0; c < 2; ++c) call.inputs.query.view().set(0, 0, i, c, c == 1 ? 0 : i == 0 ? x : -x);
  for (index j = 0; j < 40; ++j)
    for (index c = 0; c < 2; ++c) call.inputs.key.view().set(0, 0, j, c, (1 - c) * x * (j % 2 ? others : 1));
  return call;
}

double mean_of_values(const RandomCall& call, index channel) {
  double sum = 0;
  for (index j = 0; j < 40; ++j) sum += call.inputs.value.view().value(0, 0, j, channel);
  return sum / 40;
}

/// All keys score the same: the largest weight is 2^88 in one row and 2^-125 in the other.
TEST(FixedMaxima, HoldAtEitherEnd) {
  RandomCall call = call_at(106.4);
  call.run(*make_kernel("flash:maximum=fixed"));
  for (const index query : {0, 1})
    for (const index channel : {0, 1})
      EXPECT_NEAR(call.outputs.out.view().value(0, 0, query, channel), mean_of_values(call, channel), 1e-4);
  const double score = 106.4 * std::numbers::ln2;
  EXPECT_NEAR(call.outputs.log_sum_exp.view().value(0, 0, 0, 0), score + std::log(40.0), 1e-4);
  EXPECT_NEAR(call.outputs.log_sum_exp.view().value(0, 0, 1, 0), -score + std::log(40.0), 1e-4);
}

/// The numbers themselves: other bits than those of a running maximum, as long as the bound is small enough.
TEST(FixedMaxima, HoldWhereTheBoundIsSmallEnough) {
  const auto differs = [](double orders, const char* fields = "") {
    RandomCall fixed = call_at(orders, fields, 0.99), running = call_at(orders, fields, 0.99);
    fixed.run(*make_kernel("flash:maximum=fixed"));
    running.run(*make_kernel("flash"));
    return fixed.codes() != running.codes();
  };
  EXPECT_TRUE(differs(50));
  EXPECT_TRUE(differs(106.4));
  EXPECT_FALSE(differs(106.6));
  EXPECT_FALSE(differs(400));
  EXPECT_FALSE(differs(50, "score=bias:head"));
  EXPECT_FALSE(differs(50, "score=sink:head"));
  EXPECT_FALSE(differs(50, "dtype=f16"));  // holds no weight of 2^88
}

TEST(FixedMaxima, OfRowsThatAreNotFinite) {
  RandomCall call = call_at(50);
  call.inputs.query.view().set(0, 0, 0, 1, std::numeric_limits<double>::infinity());
  EXPECT_EQ(fixed_maximum::norm(call.inputs.query.view(), 0, 0, 0), std::numeric_limits<double>::infinity());
  call.inputs.query.view().set(0, 0, 0, 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(fixed_maximum::largest_norm(call.inputs.query.view(), 0, 0, 2), std::numeric_limits<double>::infinity());
}

TEST(FixedMaxima, LieEightyEightOrdersBelowTheBound) {
  EXPECT_EQ(fixed_maximum::of(0), -88);
  EXPECT_EQ(fixed_maximum::of(12.25), -75);
  EXPECT_EQ(fixed_maximum::of(106.5), 19);
}

}  // namespace
}  // namespace attestone
