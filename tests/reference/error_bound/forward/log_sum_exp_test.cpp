// SPDX-License-Identifier: Apache-2.0
// The bound of log_sum_exp against the formula of docs/tolerance.md, worked out apart.
#include <cmath>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_row.hpp"
#include "tests/reference/error_bound/forward/one_row.hpp"

namespace attestone::emulation {
namespace {

double several(double n, double r) { return n * r / (1 - n * r); }

/// From what the weights may do wrong, `weights` of ln l, and what their sum does, `sum`.
double expected(const Numerics& numerics, const RowWeights& row, double weights, double sum, double merged) {
  const double of_sum = weights - std::log1p(-sum);
  const double d = row.reach - row.largest_score + row.shortfall + row.distance;
  const double u = numerics.output.accumulator.roundoff, of_log = numerics.output.log_error;
  const double logarithm = std::max(std::log(row.denominator) + d + of_sum, std::log(2.0));
  const double inexact =
      of_sum + several(5, u) * (std::abs(row.largest_score) + d) + (several(2, u) * (1 + of_log) + of_log) * logarithm;
  const double value = std::abs(row.log_sum_exp);
  const double error = numerics.merge.divides_parts() ? of_sum + merged : inexact + several(3, u) * (value + inexact);
  return error + numerics.output.log_sum_exp_roundoff * (value + error) + numerics.output.accumulator.underflow;
}

/// Errors of all kinds, none of which is small beside the others.
Numerics all_errors() {
  Numerics numerics = in_doubles();
  numerics.weight.exp_error = 0x1p-12;
  numerics.weight.accumulator.roundoff = 0x1p-16;
  numerics.output.accumulator.roundoff = 0x1p-14;
  numerics.output.log_error = 0x1p-13;
  numerics.output.log_sum_exp_roundoff = 0x1p-15;
  numerics.weight.reference_above = numerics.weight.reference_below = 0.25;
  numerics.score.stored.roundoff = 0x1p-11;
  return numerics;
}

void expect_as_expected(const OneRow& row, const Numerics& numerics) {
  const DecodedInputs decoded(row.problem, row.inputs);
  const ForwardRow bound(decoded, numerics, 0, 0, 0);
  const RowWeights& w = bound.weights();
  const double exp_error = numerics.merge.merges() ? std::max(numerics.weight.exp_error, numerics.merge.exp_error)
                                                   : numerics.weight.exp_error;
  const double weights = std::max(std::log1p(w.total_error), w.total_exponent / (1 - exp_error));
  const double cast = numerics.weight.denominator_sums_cast ? -std::log1p(-numerics.weight.cast.roundoff) : 0;
  const double sum =
      (1 + several(w.weight_sum.chain, numerics.weight.accumulator.roundoff)) * (1 + w.merges.denominator) - 1;
  const double all = expected(numerics, w, weights + cast, sum, w.merged_log_error);
  EXPECT_NEAR(bound.log_sum_exp() / all, 1, 1e-9);
}

TEST(LogSumExpBound, IsThatOfThePage) {
  for (const std::vector<double>& scores : {std::vector<double>{7, 5, 6, -3}, {0}, {0, 0}, {-900, -880}}) {
    const OneRow row(scores, std::vector<double>(scores.size(), 1.0));
    Numerics numerics = all_errors();
    expect_as_expected(row, numerics);
    numerics.weight.denominator_sums_cast = true;
    numerics.weight.cast = {.roundoff = 0x1p-9, .largest = 1e300};
    expect_as_expected(row, numerics);
    for (const MergeForm form :
         {MergeForm::shared_maximum, MergeForm::rescaled_sums, MergeForm::late_correction, MergeForm::sigmoid}) {
      numerics.merge.form = form;
      numerics.merge.parts = 3;
      numerics.merge.accumulator.roundoff = 0x1p-15;
      numerics.merge.log_sum_exp_roundoff = 0x1p-14;
      numerics.merge.exp_error = 0x1p-10;
      expect_as_expected(row, numerics);
    }
  }
}

/// A hundred channels, so that roundings of the sum q.k are fewer than they could be: lambda times the root of them.
TEST(LogSumExpBound, IndependentAdditionsAreQuadrature) {
  const Problem problem = parse_problem("shape=1x1x1x2x100 dtype=f64 scale=1");
  Inputs inputs(problem);
  for (index c = 0; c < 100; ++c) {
    inputs.query.view().set(0, 0, 0, c, 1);
    for (index j = 0; j < 2; ++j) inputs.key.view().set(0, 0, j, c, c % 2 == 0 ? 1 : -1);
  }
  Numerics numerics = in_doubles();
  numerics.score.accumulator.roundoff = 0x1p-20;
  numerics.score.stored.roundoff = 0x1p-16;
  numerics.score.stored.underflow = 0x1p-12;
  numerics.weight.exp_error = 0x1p-11;
  const DecodedInputs decoded(problem, inputs);
  const ForwardRow bound(decoded, numerics, 0, 0, 0);
  const double stored = bound.scores().stored[0];
  const double rest = bound.weights().exponent[0] - bound.scores().chain[0];
  const double second_order = bound.weights().total_error - bound.weights().total_exponent;
  const double additions = 9 * 0x1p-20 * std::sqrt(101.0) * 100 * (1 + several(4, 0x1p-20));
  EXPECT_GT(stored, 0x1p-12);
  const double weights = (rest + additions + second_order) / (1 - numerics.weight.exp_error);
  const double all = expected(numerics, bound.weights(), weights, 0, 0);
  EXPECT_NEAR(bound.log_sum_exp_probabilistic() / all, 1, 1e-6);
  EXPECT_LT(bound.log_sum_exp_probabilistic(), bound.log_sum_exp() * (1 - 1e-3));
}

}  // namespace
}  // namespace attestone::emulation
