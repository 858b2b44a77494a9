// SPDX-License-Identifier: Apache-2.0
// Underflow, differences of parts and ranges, one at a time, against docs/tolerance.md: everything else is exact.
#include <cmath>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_row.hpp"
#include "tests/reference/error_bound/forward/one_row.hpp"

namespace attestone::emulation {
namespace {

constexpr double eta = 0x1p-20;

/// Nothing is ever rounded, and nothing leaves its range.
Numerics exact_arithmetic() {
  Numerics numerics;
  set_accumulators(numerics, {.roundoff = 0, .largest = 1e300, .underflow = 0});
  numerics.score.stored.largest = numerics.output.cast.largest = numerics.merge.out.largest = 1e300;
  return numerics;
}

Numerics merging(MergeForm form, index parts) {
  Numerics numerics = exact_arithmetic();
  numerics.merge.form = form;
  numerics.merge.parts = parts;
  return numerics;
}

double bound_of(const OneRow& row, const Numerics& numerics) {
  const ForwardBound bound(row.problem, row.inputs, numerics);
  return bound.row(0, 0, 0)->out(0);
}

void expect_near(double got, double expected) { EXPECT_NEAR(got / expected, 1, 1e-9) << got << " " << expected; }

/// l = 1 + e^-20, of which the second weight may underflow.
const OneRow& two_keys() {
  static const OneRow row({0, -20}, {1, -3});
  return row;
}
const double l = 1 + std::exp(-20.0), o = (1 - 3 * std::exp(-20.0)) / l;

/// The sum loses eta |v|, the denominator eta, in units of l.
double lost(double eta_of_sum, double eta_of_denominator) {
  return (o * eta_of_denominator / l + 3 * eta_of_sum) / (1 - eta_of_denominator / l);
}

TEST(SmallNumbers, OfWeights) {
  Numerics numerics = exact_arithmetic();
  numerics.weight.accumulator.underflow = eta;
  expect_near(bound_of(two_keys(), numerics), lost(eta / l, eta));
  numerics.weight.normalised = true;  // and of their quotients
  expect_near(bound_of(two_keys(), numerics), lost(eta / l + eta, eta));
}

TEST(SmallNumbers, OfWeightsUnderADistantReference) {
  Numerics numerics = exact_arithmetic();
  numerics.weight.accumulator.underflow = eta;
  numerics.weight.reference_above = 2;
  numerics.weight.reference_below = 3;
  const double unit = std::exp(2.0);
  expect_near(bound_of(two_keys(), numerics), lost(eta * unit / l, eta * unit));
}

TEST(SmallNumbers, OfCastWeights) {
  Numerics numerics = exact_arithmetic();
  numerics.weight.cast = {.roundoff = 0, .underflow = eta, .largest = 1e300, .smallest_normal = 0x1p-14};
  expect_near(bound_of(two_keys(), numerics), lost(eta / l, 0));
  numerics.weight.denominator_sums_cast = true;
  numerics.weight.cast.roundoff = 0x1p-52;
  EXPECT_NEAR(bound_of(two_keys(), numerics) / lost(eta / l, eta), 1, 1e-6);
}

/// A part's factor that underflows takes as much of each of its weights.
TEST(SmallNumbers, OfFactorsOfParts) {
  Numerics numerics = merging(MergeForm::rescaled_sums, 2);
  numerics.merge.accumulator.underflow = eta;
  const double rest = 2 * 4 * eta / l / (1 - eta / l);  // of merging itself
  expect_near(bound_of(two_keys(), numerics), lost(eta / l, eta) + rest);
  numerics.weight.accumulator.underflow = eta;
  expect_near(bound_of(two_keys(), numerics), lost(2 * eta / l, 2 * eta) + rest * (1 - eta / l) / (1 - 2 * eta / l));
}

TEST(SmallNumbers, OfProductsAndSums) {
  Numerics numerics = exact_arithmetic();
  numerics.value.accumulator.underflow = eta;
  expect_near(bound_of(two_keys(), numerics), eta * (6 / l + 1));
}

TEST(SmallNumbers, OfMerges) {
  for (const MergeForm form : {MergeForm::shared_maximum, MergeForm::rescaled_sums}) {
    Numerics numerics = merging(form, 2);
    numerics.merge.out.underflow = eta;
    expect_near(bound_of(two_keys(), numerics), 2 * eta / l);
    numerics.merge.accumulator.underflow = eta;
    const double own = 2 * eta * (4 + 1) / l;
    const bool factors = form == MergeForm::rescaled_sums;
    expect_near(bound_of(two_keys(), numerics), factors ? lost(eta / l, eta) + own / (1 - eta / l) : own);
  }
  for (const MergeForm form : {MergeForm::late_correction, MergeForm::sigmoid}) {
    Numerics numerics = merging(form, 2);
    numerics.merge.out.underflow = eta;
    expect_near(bound_of(two_keys(), numerics), eta);
    const OneRow alike({0, 0}, {3, 3});  // whose log_sum_exp may be wrong
    numerics.merge.accumulator.underflow = 0x1p-40;
    const double of_log = form == MergeForm::sigmoid ? 0 : std::expm1(0x1p-40) * 3;
    EXPECT_NEAR(bound_of(alike, numerics) - eta, 4 * 2 * (1 + 2 * 3) * 0x1p-40 + of_log, 1e-16);
  }
}

/// Relative to the distance of two parts, and to V, which the errors of the parts make larger.
TEST(SmallNumbers, DifferencesOfParts) {
  constexpr double u = 0x1p-36, u_part = 0x1p-4;
  Numerics numerics = merging(MergeForm::sigmoid, 2);
  numerics.merge.accumulator.roundoff = u;
  const OneRow far({-30, 0}, {5, -1});
  const double distance = 6, difference = 6 * u / (1 - 6 * u), subtraction = u / (1 - u);
  EXPECT_NEAR(bound_of(far, numerics) / (difference * 2 * distance + subtraction * 5), 1, 1e-8);
  numerics.merge.out.roundoff = u_part;
  const DecodedInputs decoded(far.problem, far.inputs);
  const ForwardRow bound(decoded, numerics, 0, 0, 0);
  const double parts = u_part * bound.sums().weighted[0] / (1 - bound.weights().total_error);
  const double all = difference * 2 * (distance + u_part * 5) + subtraction * (1 + u_part) * 5;
  EXPECT_NEAR((bound_of(far, numerics) - parts) / all, 1, 1e-5);  // a double's last places beside `parts`
}

/// Bounded where there is just enough room, unbounded where there is not.
TEST(SmallNumbers, SumsMayNotLeaveTheirRange) {
  const OneRow row({0, 0, 0}, {4, 1, -2});
  for (const bool distant : {false, true}) {
    const auto expect_of = [&](MergeForm form, const auto& field, double needed) {
      for (const double enough : {1 + 1e-9, 1 - 1e-9}) {
        Numerics numerics = merging(form, 2);
        numerics.weight.reference_below = distant ? 1 : 0;
        numerics.merge.out.roundoff = 0x1p-60;
        field(numerics) = needed * enough * (distant ? std::exp(1.0) : 1);
        EXPECT_EQ(std::isfinite(bound_of(row, numerics)), enough > 1) << needed;
      }
    };
    const auto none = MergeForm::none, sums = MergeForm::rescaled_sums;
    expect_of(
        none, [](Numerics& n) -> double& { return n.value.accumulator.largest; }, 7);
    expect_of(
        none, [](Numerics& n) -> double& { return n.weight.accumulator.largest; }, 3);
    expect_of(
        sums, [](Numerics& n) -> double& { return n.merge.accumulator.largest; }, 7);
    expect_of(
        sums, [](Numerics& n) -> double& { return n.merge.out.largest; }, 7);
  }
}

}  // namespace
}  // namespace attestone::emulation
