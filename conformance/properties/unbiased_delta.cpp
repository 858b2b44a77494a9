// SPDX-License-Identifier: Apache-2.0
// The delta probe: a channel of dQ whose truth is 0 shows by how much delta is off.
#include <cmath>

#include "conformance/properties/mean_error.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  return problem.shape.dim < 2 ? "no channel to spare" : without_mean_error(problem);
}

/// The leaning error of sum_c dO_c O_c that comes from rounding O.
double leaning_of_delta(Trial& trial, const RowBound& leaning, index b, index h, index i) {
  const ConstView dout = trial.inputs().dout->view();
  double sum = 0;
  for (index c = 0; c < trial.problem().shape.value_dim; ++c) {
    const Certified& out = trial.truth().out(b, h, i, c);
    sum += std::abs(dout.value(b, h, i, c)) *
           leaning_when_rounded(trial.problem().output, out.value, leaning.out(c) + out.bound);
  }
  return sum;
}

// In the last channel K is 1 and Q is 0, so dQ = scale sum_j dS_j = scale (rowsum(p dP) - delta).
Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Numerics numerics = leaning_part(trial.numerics());
  const Inputs& inputs = trial.inputs();
  const ConstView dquery = std::as_const(trial.backward().answer().gradients.query).view();
  const GradientBounds& bounds = trial.backward().bounds();
  trial.truth();
  const Stopwatch watch(trial.times.truth);
  const ForwardBound leaning_out(problem, inputs, numerics);
  const ElementBounds leaning = query_gradient_bounds(problem, inputs, numerics);
  const index channel = problem.shape.dim - 1;
  const MeanError errors = mean_error(problem.shape, [&](index b, index h, index i) {
    const auto row = leaning_out.row(b, h, i);
    const double through_delta = std::abs(problem.scale()) * leaning_of_delta(trial, *row, b, h, i);
    return BoundedError{dquery.value(b, h, i, channel), bounds.query.deterministic(b, h, i, channel),
                        leaning.deterministic(b, h, i, channel) + through_delta};
  });
  return errors.is_biased() ? Verdict::failed("biased", "of delta, read from the last channel of dQ, " + errors.told())
                            : Verdict::passed();
}

const Registration<Property> registered{{
    .name = "unbiased_delta",
    .claim = "where two keys tie for the maximum and V and dO have one sign, delta is as often too large as too small",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::dquery},
}};

}  // namespace
}  // namespace attestone::inline conformance
