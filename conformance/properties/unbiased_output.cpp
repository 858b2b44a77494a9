// SPDX-License-Identifier: Apache-2.0
// The tie probe: over many V, errors of O are as often too large as too small.
#include "conformance/properties/mean_error.hpp"
#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Truth& truth = trial.truth();
  const ForwardBound leaning(problem, trial.inputs(), leaning_part(trial.numerics()));
  const ConstView out = trial.answer().outputs.out.view();
  const MeanError errors = mean_error(problem.shape, [&](index b, index h, index i) {
    const auto bound = trial.bound().row(b, h, i), leans = leaning.row(b, h, i);
    BoundedError row;
    for (index c = 0; c < problem.shape.value_dim; ++c) {
      const Certified& right = truth.out(b, h, i, c);
      row += {out.value(b, h, i, c) - right.value, bound->out(c) + right.bound,
              leaning_when_rounded(problem.output, right.value, leans->out(c) + right.bound)};
    }
    return row;
  });
  return errors.is_biased() ? Verdict::failed("biased", "of O, " + errors.told()) : Verdict::passed();
}

const Registration<Property> registered{{
    .name = "unbiased_output",
    .claim = "where two keys tie for the maximum and V has one sign, O is as often too large as too small",
    .inapplicable = without_mean_error,
    .check = check,
    .needs = {TensorName::out},
}};

}  // namespace
}  // namespace attestone::inline conformance
