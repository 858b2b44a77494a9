// SPDX-License-Identifier: Apache-2.0
// Judging gradients by other calls, and by sums that are known without attention.
#include "conformance/properties/metamorphic/gradient_relation.hpp"

#include <cmath>
#include <fmt/format.h>

#include "conformance/conventions/by_convention.hpp"
#include "conformance/conventions/empty_rows.hpp"
#include "conformance/trial/stopwatch.hpp"

namespace attestone::inline conformance {

Verdict judged(Trial& trial, const RelatedBackwardCall& call, std::string_view reason,
               const std::string& circumstances) {
  if (const Support support = trial.kernel().supports(call.problem); !support) return Verdict::skipped(support.why);
  // First, so that what a kernel keeps of it meets the other call.
  const Gradients& plain = trial.backward().answer().gradients;
  Trial other(trial.kernel(), call.problem);
  const GradientAnswer answer = other.backward().run(call.inputs, other.run(call.inputs).outputs);
  trial.times.kernel += other.times.kernel;
  Comparison changed;
  {
    const Stopwatch watch(trial.times.truth);
    const GradientBounds bounds = gradient_bounds(call.problem, call.inputs, other.numerics());
    // Rows without keys that a ragged layout does not store may be there now.
    const GradientTruth truth = by_convention(call.truth, trial.conventions(), call.problem, call.inputs);
    changed = compare_gradients(truth, bounds, answer.gradients);
  }
  if (changed.conforms()) return Verdict::passed();
  return metamorphic(trial.backward().compare_with_truth(plain), changed, reason, circumstances);
}

void SumOfGradients::add(double element, double error) {
  got += element, allowed += error, magnitude_ += std::abs(element), ++terms_;
}

bool SumOfGradients::is_not_zero() const {
  const double here = static_cast<double>(2 * terms_) * dtype("f64").unit_roundoff() * (magnitude_ + allowed);
  return std::isfinite(allowed) && !(std::abs(got) <= allowed + here);
}

std::string without_sums(const Trial& trial) {
  const bool sends = may_differ_in_empty_rows(trial.conventions(), trial.problem());
  return sends ? "rows without keys may send NaN, or anything, by the kernel's convention" : "";
}

Inputs other_inputs(const Problem& problem) {
  Problem other = problem;
  ++other.seed;
  return filled(other);
}

OtherGradients::OtherGradients(Trial& trial) : OtherGradients(trial, other_inputs(trial.problem())) {}

OtherGradients::OtherGradients(Trial& trial, const Inputs& inputs)
    : got(trial.backward().run(inputs, trial.run(inputs).outputs).gradients),
      bounds(gradient_bounds(trial.problem(), inputs, trial.numerics())) {}

Verdict adds_up_to_zero(std::string_view name, const ConstView& gradient, const ElementBounds& bounds,
                        std::size_t axis) {
  const auto [batches, heads, rows, channels] = gradient.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h) {
      const index summands = axis == 2 ? gradient.rows(b) : channels;
      const index sums = axis == 2 ? channels : gradient.rows(b);
      for (index at = 0; at < sums; ++at) {
        SumOfGradients sum;
        for (index k = 0; k < summands; ++k) {
          const auto [row, channel] = axis == 2 ? std::pair(k, at) : std::pair(at, k);
          sum.add(gradient.value(b, h, row, channel), bounds.deterministic(b, h, row, channel));
        }
        if (sum.is_not_zero())
          return Verdict::failed(
              "gradient-sum",
              fmt::format("with the inputs of the next seed {}[b{}, h{}, {}] adds up to {:.9g}, not to 0", name, b, h,
                          axis == 2 ? fmt::format(":, c{}", at) : fmt::format("q{}, :", at), sum.got));
      }
    }
  return Verdict::passed();
}

}  // namespace attestone::inline conformance
