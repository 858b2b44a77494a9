// SPDX-License-Identifier: Apache-2.0
// Rows of K and V that were rounded before anything was computed with them: no bound is exceeded, and all are reached.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "reference/error_bound/gradient/gradient_bound.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/reference/error_bound/exact_gradients.hpp"
#include "tests/reference/error_bound/forward/bare_row.hpp"

namespace attestone::emulation {
namespace {

constexpr RowCast of_keys{.roundoff = 0x1p-12, .of_largest = 0x1p-13, .underflow = 0x1p-14};
constexpr RowCast of_values{.roundoff = 0x1p-13, .of_largest = 0x1p-12, .underflow = 0x1p-15};

Numerics with_rounded_rows(const RowCast& keys, const RowCast& values) {
  Numerics numerics = faultless();
  numerics.score.keys = keys;
  numerics.value.values = values;
  return numerics;
}

/// Each number of each row as far away as the cast allows, times a share from -1 to 1; zeros stay.
template <class ShareOf>
void move_rows(const View& rows, const RowCast& cast, const ShareOf& share) {
  const auto& [batches, heads, count, channels] = rows.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < count; ++r) {
        double largest = 0;
        for (index c = 0; c < channels; ++c) largest = std::max(largest, std::abs(rows.value(b, h, r, c)));
        for (index c = 0; c < channels; ++c) {
          const double x = rows.value(b, h, r, c);
          if (x == 0) continue;
          const double most = cast.roundoff * std::abs(x) + cast.of_largest * largest + cast.underflow;
          rows.set(b, h, r, c, x + share(b, h, r, c) * most * (1 - 0x1p-30));  // rows are rounded to f64
        }
      }
}

/// Errors over their bounds, the largest ones.
struct Reached {
  double out = 0, log_sum_exp = 0, dquery = 0, dkey = 0, dvalue = 0;
};

double share_of(long double got, long double right, double bound) {
  const double error = static_cast<double>(std::abs(got - right));
  return error == 0 ? 0 : error / bound;
}

void see(double& most, double share) { most = std::max(most, share); }

/// The errors of exact answers to the moved inputs, as shares of the bounds for the given ones.
Reached reached(const Problem& problem, const Inputs& given, const Inputs& moved, const Numerics& numerics) {
  Reached most;
  const Shape& s = problem.shape;
  const ForwardBound forward(problem, given, numerics);
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < s.queries; ++i) {
        const auto bound = forward.row(b, h, i);
        if (bound->visible_keys() == 0) continue;
        const ExactRow right = exact(problem, given, b, h, i), got = exact(problem, moved, b, h, i);
        for (std::size_t c = 0; c < right.out.size(); ++c) {
          see(most.out, share_of(got.out[c], right.out[c], bound->out(static_cast<index>(c))));
          EXPECT_GE(bound->out(static_cast<index>(c)), bound->out_probabilistic(static_cast<index>(c)));
          EXPECT_GE(bound->out_probabilistic(static_cast<index>(c)),
                    bound->out_probabilistic_at_least(static_cast<index>(c)));
          // All of them may err alike.
          see(most.out, share_of(got.out[c], right.out[c], bound->out_probabilistic(static_cast<index>(c))));
        }
        see(most.log_sum_exp, share_of(got.log_sum_exp, right.log_sum_exp, bound->log_sum_exp()));
      }
  if (!problem.backward) return most;
  const GradientBounds bounds = gradient_bounds(problem, given, numerics);
  const ExactGradients right(problem, given), got(problem, moved);
  const auto see_all = [&](double& of, const RealTensor& is, const RealTensor& should, const ElementBounds& bound) {
    for_each_element(should.extents, [&](index b, index h, index r, index c) {
      see(of, share_of(is.at(b, h, r, c), should.at(b, h, r, c), bound.probabilistic(b, h, r, c)));
    });
  };
  see_all(most.dquery, got.query, right.query, bounds.query);
  see_all(most.dkey, got.key, right.key, bounds.key);
  see_all(most.dvalue, got.value, right.value, bounds.value);
  return most;
}

TEST(RoundedRows, OfValuesReachTheBoundOfO) {
  for (const char* line : {"shape=1x1x3x1x4 dtype=f64", "shape=1x2/1x3x7x5:4 dtype=f64 mask=causal",
                           "shape=1x1x2x9x3 dtype=f64 dropout=0.25"}) {
    const Numerics numerics = with_rounded_rows({}, of_values);
    const RandomCall call(parse_problem(line));
    RandomCall moved(call.problem);
    move_rows(moved.inputs.value.view(), of_values, [](index, index, index, index) { return 1; });
    const Reached most = reached(call.problem, call.inputs, moved.inputs, numerics);
    EXPECT_GE(most.out, 0.97) << line;
    EXPECT_LE(most.out, 1) << line;
  }
}

/// The key that weighs more is moved towards the query, the other one away from it.
TEST(RoundedRows, OfKeysReachTheBoundsOfOAndLogSumExp) {
  const Problem problem = parse_problem("shape=1x1x1x2x4:1 dtype=f64 scale=1");
  RandomCall call(problem);
  call.inputs.value.view().set(0, 0, 0, 0, 1);
  call.inputs.value.view().set(0, 0, 1, 0, -1);
  const auto towards = [&](double first, double second) {
    RandomCall moved(problem);
    moved.inputs.value.view().set(0, 0, 0, 0, 1);
    moved.inputs.value.view().set(0, 0, 1, 0, -1);
    move_rows(moved.inputs.key.view(), of_keys, [&](index, index, index row, index channel) {
      return (row == 0 ? first : second) * std::copysign(1, call.inputs.query.view().value(0, 0, 0, channel));
    });
    return reached(problem, call.inputs, moved.inputs, with_rounded_rows(of_keys, {}));
  };
  const Reached apart = towards(1, -1), together = towards(1, 1);
  EXPECT_GE(apart.out, 0.95);
  EXPECT_GE(together.log_sum_exp, 0.95);
  for (const Reached& most : {apart, together}) {
    EXPECT_LE(most.out, 1);
    EXPECT_LE(most.log_sum_exp, 1);
  }
}

/// Only the keys that dQ is summed from move. Their weights stay as they are, because all have the same score.
TEST(RoundedRows, OfKeysReachTheBoundOfDQuery) {
  const Problem problem = parse_problem("shape=1x1x1x2x3:1 dtype=f64 pass=forward+backward");
  RandomCall call(problem);
  for (index c = 0; c < 3; ++c) call.inputs.query.view().set(0, 0, 0, c, 0);
  RandomCall moved(problem);
  for (index c = 0; c < 3; ++c) moved.inputs.query.view().set(0, 0, 0, c, 0);
  const double dout = call.inputs.dout->view().value(0, 0, 0, 0);
  const View value = call.inputs.value.view();
  const bool first_gains = dout * (value.value(0, 0, 0, 0) - value.value(0, 0, 1, 0)) > 0;
  move_rows(moved.inputs.key.view(), of_keys,
            [&](index, index, index row, index) { return (row == 0) == first_gains ? 1 : -1; });
  const Reached most = reached(problem, call.inputs, moved.inputs, with_rounded_rows(of_keys, {}));
  EXPECT_GE(most.dquery, 0.95);
  EXPECT_LE(most.dquery, 1);
}

TEST(RoundedRows, ExceedNoBound) {
  Reached most;
  for (unsigned seed = 0; seed < effort(60, 2000); ++seed) {
    std::mt19937_64 random(seed);
    const char* masks[] = {"", " mask=causal", " mask=window:3:0", " mask=causal score=softcap:4", " score=sink:head"};
    const Problem problem = parse_problem(fmt::format("shape=1x4/2x5x{}x6:3 dtype=f64 pass=forward+backward seed={}{}",
                                                      1 + random() % 9, seed, masks[random() % std::size(masks)]));
    const RandomCall call(problem);
    RandomCall moved(problem);
    const bool worst = random() % 2 == 0;
    const auto share = [&](index, index, index, index) {
      const double x = std::uniform_real_distribution<double>(-1, 1)(random);
      return worst ? std::copysign(1, x) : x;
    };
    move_rows(moved.inputs.key.view(), of_keys, share);
    move_rows(moved.inputs.value.view(), of_values, share);
    const Reached here = reached(problem, call.inputs, moved.inputs, with_rounded_rows(of_keys, of_values));
    for (const double each : {here.out, here.log_sum_exp, here.dquery, here.dkey, here.dvalue})
      EXPECT_LE(each, 1) << problem.text();
    see(most.out, here.out), see(most.log_sum_exp, here.log_sum_exp), see(most.dquery, here.dquery);
    see(most.dkey, here.dkey), see(most.dvalue, here.dvalue);
  }
  fmt::print("  O {:.3f}, log_sum_exp {:.3f}, dQ {:.3f}, dK {:.3f}, dV {:.3f}\n", most.out, most.log_sum_exp,
             most.dquery, most.dkey, most.dvalue);
  for (const double each : {most.out, most.log_sum_exp, most.dquery, most.dkey, most.dvalue}) EXPECT_GE(each, 0.3);
}

/// Rows that hold what is not finite have no bound, whether dropout keeps them or not, though their weight be 0.
TEST(RoundedRows, ThatAreNotFiniteHaveNoBound) {
  for (const char* line : {"shape=1x1x20x2x3 dtype=f64 dropout=0.5", "shape=1x1x20x2x3 dtype=f64 scale=1e6"})
    for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      const Problem problem = parse_problem(line);
      RandomCall call(problem);
      call.inputs.value.view().set(0, 0, 0, 1, x);
      const Numerics numerics = with_rounded_rows({}, of_values);
      const ForwardBound bound(problem, call.inputs, numerics);
      for (index query = 0; query < problem.shape.queries; ++query)
        for (const index c : {0, 2}) {
          EXPECT_TRUE(std::isinf(bound.row(0, 0, query)->out(c))) << line << ", row " << query;
          EXPECT_TRUE(std::isinf(bound.row(0, 0, query)->out_probabilistic(c))) << line << ", row " << query;
        }
    }
}

}  // namespace
}  // namespace attestone::emulation
