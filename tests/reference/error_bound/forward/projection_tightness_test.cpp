// SPDX-License-Identifier: Apache-2.0
// What else is made of a row's errors, by kernels at their worst: the gain of an answer, and delta = <dO, O>.
#include <cmath>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_row.hpp"
#include "tests/reference/error_bound/forward/worst_kernel.hpp"

namespace attestone::emulation {
namespace {

constexpr double u = 0x1p-10;

/// Two keys of equal weight below a leader of value 0.
BareRow below_a_leader() { return {{0, -0.01, -0.01}, {0, 1, 1}}; }

/// |G - 1| of the worst kernel, over its bound.
double share_of_gain(const BareRow& row, const Errors& errors) {
  const std::vector<double> truth{static_cast<double>(exact_answer(row))};
  const std::vector<double> answer{static_cast<double>(worst_answer(row, errors))};
  const ForwardBound bound(row.problem, row.inputs, row.numerics);
  Gain gain;
  gain.add(truth, answer, bound.row(0, 0, 0)->gain_terms(truth));
  return std::abs(gain.gain() - 1) / gain.bound();
}

/// The error of <dO, O> with dO = 3, over its bounds.
BoundShares shares_of_delta(const BareRow& row, const Errors& errors) {
  const DecodedInputs inputs(row.problem, row.inputs);
  const ForwardRow bound(inputs, row.numerics, 0, 0, 0);
  std::vector<double> projected = row.values;
  for (double& x : projected) x *= 3;
  const Projection projection = bound.projection(std::vector<double>{3}, projected);
  const auto error = static_cast<double>(3 * std::abs(worst_answer(row, errors) - exact_answer(row)));
  return {error / projection.deterministic, error / projection.probabilistic};
}

void expect_reached(double share, double least) {
  EXPECT_LE(share, 1);
  EXPECT_GE(share, least);
}

void expect_both_reached(const BareRow& row, const Errors& errors, double of_gain, double of_delta) {
  expect_reached(share_of_gain(row, errors), of_gain);
  expect_reached(shares_of_delta(row, errors).deterministic, of_delta);
  expect_reached(shares_of_delta(row, errors).probabilistic, of_delta);
}

TEST(ProjectionTightness, Casts) {
  BareRow row = below_a_leader();
  row.numerics.weight.cast.roundoff = u;
  expect_both_reached(row, {.casts = {1, 1, 1}}, 0.99, 0.99);
}

TEST(ProjectionTightness, CastsThatTheDenominatorShares) {
  BareRow row = below_a_leader();
  row.numerics.weight.cast.roundoff = u;
  row.numerics.weight.denominator_sums_cast = true;
  expect_both_reached(row, {.casts = {-1, 1, 1}}, 0.99, 0.99);
}

TEST(ProjectionTightness, Exponentials) {
  BareRow row({-0.01, 0, -0.01}, {1, 0, 0});
  row.numerics.weight.exp_error = u;
  expect_both_reached(row, {.exponentials = {1, 0, -1}}, 0.7, 0.7);
}

TEST(ProjectionTightness, SumsOfWeights) {
  BareRow row = below_a_leader();
  row.numerics.weight.accumulator.roundoff = u;
  expect_both_reached(row, {.denominator = -1}, 0.6, 0.6);
}

TEST(ProjectionTightness, TheLastRounding) {
  BareRow row = below_a_leader();
  row.numerics.output.cast.roundoff = u;
  expect_both_reached(row, {.output = 1}, 0.99, 0.99);
}

/// Each of four parts has the same 81 exponents: their casts may all err alike.
TEST(ProjectionTightness, TheSameCastsInEveryPart) {
  std::vector<double> scores, values;
  for (int part = 0; part < 4; ++part)
    for (int j = 0; j < 81; ++j) {
      scores.push_back(0.7 * part + 0.005 * (j + 1));
      values.push_back(std::exp(-scores.back()));
    }
  BareRow row(scores, values);
  row.numerics.weight.cast.roundoff = u;
  row.numerics.merge.form = MergeForm::rescaled_sums;
  row.numerics.merge.parts = 4;
  expect_both_reached(row, {.casts = std::vector<double>(scores.size(), 1)}, 0.99, 0.99);
}

/// <dO, O> of two equal channels with dO = (1, -1) is 0, however wrong the weights are that they share.
TEST(ProjectionTightness, ChannelsShareTheirWeights) {
  const Problem problem = parse_problem("shape=1x1x1x2x1:2 dtype=f64");
  Inputs inputs(problem);
  for (const View& view : {inputs.query.view(), inputs.key.view()})
    for (index j = 0; j < view.extents()[2]; ++j) view.set(0, 0, j, 0, 0);
  for (index j = 0; j < 2; ++j)
    for (index c = 0; c < 2; ++c) inputs.value.view().set(0, 0, j, c, j == 0 ? 1 : 3);
  Numerics numerics = faultless();
  numerics.weight.cast.roundoff = numerics.weight.exp_error = u;
  const DecodedInputs decoded(problem, inputs);
  const Projection error =
      ForwardRow(decoded, numerics, 0, 0, 0).projection(std::vector<double>{1, -1}, std::vector<double>{0, 0});
  EXPECT_GT(error.apart, 4 * u);
  EXPECT_LT(error.deterministic, 16 * u * u);  // what is left of products of both
}

}  // namespace
}  // namespace attestone::emulation
