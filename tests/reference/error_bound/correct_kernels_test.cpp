// SPDX-License-Identifier: Apache-2.0
// A correct kernel never exceeds its bounds, whatever the inputs, the order of its sums and the luck of its roundings.
// slow: judges many problems
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "tests/effort.hpp"
#include "tests/reference/error_bound/emulated_kernel.hpp"
#include "tests/reference/error_bound/fills.hpp"
#include "tests/test_name.hpp"

namespace attestone::emulation {
namespace {

std::vector<Recipe> recipes(const std::string& dtype) {
  using enum Summation;
  std::vector<Recipe> all{
      {.name = "plain", .exp_error = ExpError::against_first_channel},
      {.name = "plain, flushing",
       .flush = true,
       .normalise = true,
       .exp_error = ExpError::alternating,
       .dropout_at = DropoutAt::values},
      {.name = "flash",
       .summation = fused,
       .tile = 64,
       .base_two = true,
       .reciprocal = true,
       .dropout_at = DropoutAt::answer},
      {.name = "flash, eight lanes",
       .summation = eight_lanes,
       .tile = 16,
       .exp_error = ExpError::down,
       .sink_at = SinkAt::first},
      {.name = "flash, descending",
       .tile = 32,
       .descending = true,
       .exp_error = ExpError::up,
       .sink_at = SinkAt::last_plain},
      {.name = "online", .summation = pairwise, .tile = 1, .exp_error = ExpError::up},
  };
  if (dtype.starts_with("f32")) return all;
  all.push_back({.name = "tensor cores",
                 .summation = truncating,
                 .tile = 64,
                 .flush = true,
                 .base_two = true,
                 .exp_error = ExpError::against_first_channel});
  return all;
}

/// The largest error as a share of its bound; a NaN or an excess over an infinite bound cannot hide.
struct Worst {
  double ratio = 0;
  std::string where;

  void see(double error, double bound, const std::string& place) {
    const double now = bound == 0 && error == 0 ? 0 : error / bound;
    if (now <= ratio) return;
    ratio = std::isnan(now) ? INFINITY : now;
    where = place;
  }
};

struct Judgement {
  Worst deterministic, probabilistic, log_sum_exp, log_sum_exp_probabilistic;
  index elements = 0, unbounded = 0;
};

void judge_row(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const Recipe& recipe,
               const RowBound& bound, index query, Judgement& judgement) {
  const Row got = answer(problem, inputs, numerics, recipe, 0, 0, query);
  const ExactRow truth = exact(problem, inputs, 0, 0, query);
  const std::string place = fmt::format("'{}' query {} recipe {}", problem.text(), query, recipe.name);
  for (index c = 0; c < problem.shape.value_dim; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const auto error = static_cast<double>(std::abs(static_cast<long double>(got.out[at]) - truth.out[at]));
    const double certain = bound.out(c), likely = bound.out_probabilistic(c);
    ++judgement.elements;
    if (std::isinf(certain)) ++judgement.unbounded;
    ASSERT_LE(bound.out_probabilistic_at_least(c), likely) << place;
    ASSERT_LE(likely, certain) << place;
    judgement.deterministic.see(error, certain, place);
    judgement.probabilistic.see(error, likely, place);
  }
  if (std::isinf(truth.log_sum_exp)) {
    ASSERT_EQ(got.log_sum_exp, static_cast<double>(truth.log_sum_exp));
    return;
  }
  const auto error = static_cast<double>(std::abs(static_cast<long double>(got.log_sum_exp) - truth.log_sum_exp));
  ASSERT_LE(bound.log_sum_exp_probabilistic(), bound.log_sum_exp()) << place;
  ASSERT_LE(bound.log_sum_exp_probabilistic_at_least(), bound.log_sum_exp_probabilistic()) << place;
  judgement.log_sum_exp.see(error, bound.log_sum_exp(), place);
  judgement.log_sum_exp_probabilistic.see(error, bound.log_sum_exp_probabilistic(), place);
}

std::vector<index> lengths() {
  std::vector<index> all{0, 1, 2, 81, 82, 128, 300};
  if (effort(0, 1)) all.insert(all.end(), {1000, 4096, 16384});
  return all;
}

std::vector<std::string> terms_of_scores() {
  std::vector<std::string> all{"", " score=softcap:20", " score=alibi",
                               " score=softcap:20&bias:full&sink:head dropout=0.5"};
  if (effort(0, 1))
    all.insert(all.end(), {" score=relative_position:0.05", " score=bias:key", " score=sink:head", " dropout=0.1",
                           " score=sink:head dropout=0.99"});
  return all;
}

class CorrectKernels : public testing::TestWithParam<std::string> {};

TEST_P(CorrectKernels, StayWithinTheirBounds) {
  const std::string dtype = GetParam();
  Judgement all;
  for (const index keys : lengths())
    for (const std::string& terms : terms_of_scores())
      for (const Fill& fill : fills()) {
        if (!terms.empty() && keys != 128) continue;
        for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(1, 4)); ++seed) {
          const Problem problem =
              parse_problem(fmt::format("shape=1x1x2x{}x64:4{} dtype={} seed={}", keys, terms, dtype, seed));
          const Numerics numerics = default_numerics(problem.input, problem.output);
          Inputs inputs(problem);
          fill.fill(problem, seed, inputs);
          fill_logits(seed, inputs);
          Numerics normalising = numerics;
          normalising.weight.normalised = true;
          Numerics by_sigmoids = numerics;  // the hyperbolic tangent
          by_sigmoids.score.tanh_absolute_error = 0x1p-12;
          const ForwardBound bound(problem, inputs, numerics), normalising_bound(problem, inputs, normalising),
              bound_by_sigmoids(problem, inputs, by_sigmoids);
          Numerics renormalising = numerics;
          renormalising.value.normalised_per_tile = true;
          renormalising.weight.tile_keys = 16;
          const ForwardBound renormalising_bound(problem, inputs, renormalising);
          Judgement here;
          for (index query = 0; query < problem.shape.queries; ++query) {
            const auto row = bound.row(0, 0, query), normalising_row = normalising_bound.row(0, 0, query);
            for (const bool descending : {false, true})
              for (const bool reciprocal : {false, true})
                judge_row(problem, inputs, renormalising,
                          {.name = "FlashAttention-1",
                           .tile = 16,
                           .descending = descending,
                           .renormalise = true,
                           .reciprocal = reciprocal},
                          *renormalising_bound.row(0, 0, query), query, here);
            for (Recipe recipe : recipes(dtype)) {
              recipe.tanh_error = query == 0 ? 0.99 * numerics.score.tanh_error : 0;
              judge_row(problem, inputs, numerics, recipe, recipe.normalise ? *normalising_row : *row, query, here);
              if (recipe.normalise || !problem.score.softcap()) continue;
              for (const double sign : {-1, 1}) {
                recipe.tanh_absolute_error = sign * 0.99 * by_sigmoids.score.tanh_absolute_error;
                judge_row(problem, inputs, by_sigmoids, recipe, *bound_by_sigmoids.row(0, 0, query), query, here);
              }
            }
          }
          for (const Worst* worst :
               {&here.deterministic, &here.probabilistic, &here.log_sum_exp, &here.log_sum_exp_probabilistic})
            EXPECT_LE(worst->ratio, 1) << fill.name << ": " << worst->where;
          if (here.probabilistic.ratio > 0.5)
            fmt::print("{:.2f} {}: {}\n", here.probabilistic.ratio, fill.name, here.probabilistic.where);
          all.elements += here.elements;
          all.unbounded += here.unbounded;
          all.deterministic.see(here.deterministic.ratio, 1, fill.name + " " + here.deterministic.where);
          all.probabilistic.see(here.probabilistic.ratio, 1, fill.name + " " + here.probabilistic.where);
          all.log_sum_exp.see(here.log_sum_exp.ratio, 1, fill.name + " " + here.log_sum_exp.where);
          all.log_sum_exp_probabilistic.see(here.log_sum_exp_probabilistic.ratio, 1, fill.name);
        }
      }
  fmt::print(
      "{}: {} elements, {} without bound\n  worst r_det {:.3f} ({})\n  worst r_prob {:.3f} ({})\n"
      "  log_sum_exp {:.3f} ({}), probabilistic {:.3f} ({})\n",
      dtype, all.elements, all.unbounded, all.deterministic.ratio, all.deterministic.where, all.probabilistic.ratio,
      all.probabilistic.where, all.log_sum_exp.ratio, all.log_sum_exp.where, all.log_sum_exp_probabilistic.ratio,
      all.log_sum_exp_probabilistic.where);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, CorrectKernels, testing::Values("f32", "f16", "bf16", "f16>f32", "bf16>f32"),
                         by_parameter);

}  // namespace
}  // namespace attestone::emulation
