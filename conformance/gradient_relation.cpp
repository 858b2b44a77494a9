// SPDX-License-Identifier: Apache-2.0
// Judging gradients by other calls, and by sums that are known without attention.
#include "conformance/gradient_relation.hpp"

#include <cmath>

#include "conformance/measure/stopwatch.hpp"

namespace attestone {

Verdict judged(Trial& trial, const RelatedBackwardCall& call, std::string_view reason,
               const std::string& circumstances) {
  if (const Support support = trial.kernel().supports(call.problem); !support) return Verdict::skipped(support.why);
  Trial other(trial.kernel(), call.problem);
  const GradientAnswer answer = other.backward().run(call.inputs, other.run(call.inputs).outputs);
  trial.times.kernel += other.times.kernel;
  Comparison changed;
  {
    const Stopwatch watch(trial.times.truth);
    const GradientBounds bounds = gradient_bounds(call.problem, call.inputs, other.numerics());
    changed = compare_gradients(call.truth, bounds, answer.gradients);
  }
  if (changed.conforms()) return Verdict::passed();
  return metamorphic(trial.backward().compare_with_truth(trial.backward().answer().gradients), changed, reason,
                     circumstances);
}

void SumOfGradients::add(double element, double error) {
  got += element, allowed += error, magnitude_ += std::abs(element), ++terms_;
}

bool SumOfGradients::is_not_zero() const {
  const double here = static_cast<double>(2 * terms_) * dtype("f64").unit_roundoff() * (magnitude_ + allowed);
  return std::isfinite(allowed) && !(std::abs(got) <= allowed + here);
}

Inputs other_inputs(const Problem& problem) {
  Problem other = problem;
  ++other.seed;
  return filled(other);
}

}  // namespace attestone
