// SPDX-License-Identifier: Apache-2.0
// Running the backward pass of a kernel, and what gradients are compared with.
#include "conformance/trial/backward_trial.hpp"

#include "conformance/conventions/by_convention.hpp"
#include "conformance/trial/same_bits.hpp"
#include "conformance/trial/stopwatch.hpp"
#include "conformance/trial/trial.hpp"

namespace attestone::inline conformance {

const GradientTruth& BackwardTrial::truth() {
  if (!truth_) {
    // The kernel answers first, as in the forward pass.
    if (trial_.kernel().fingerprint()) answer();
    const Inputs& inputs = trial_.inputs();
    const Stopwatch watch(trial_.times.truth);
    truth_ = by_convention(certify_backward(trial_.problem(), inputs), trial_.conventions(), trial_.problem(), inputs);
  }
  return *truth_;
}

const GradientBounds& BackwardTrial::bounds() {
  if (!bounds_) {
    const Inputs& inputs = trial_.inputs();
    const Stopwatch watch(trial_.times.truth);
    bounds_ = gradient_bounds(trial_.problem(), inputs, trial_.numerics());
  }
  return *bounds_;
}

const GradientAnswer& BackwardTrial::answer() {
  if (!answer_) answer_ = run(trial_.inputs(), trial_.answer().outputs);
  return *answer_;
}

GradientAnswer BackwardTrial::run(const Inputs& inputs, const Outputs& forward, Poison poison) {
  return run(inputs, forward, poisoned_gradients(trial_.problem(), poison));
}

GradientAnswer BackwardTrial::run(const Inputs& inputs, const Outputs& forward, Gradients over) {
  Inputs handed = trial_.copy_to_hand(inputs);
  // A copy as well.
  const Outputs answered = forward;  // NOLINT(performance-unnecessary-copy-initialization)
  Device device;
  GradientAnswer answer{.gradients = std::move(over)};
  BackwardArguments arguments = arguments_of(trial_.problem(), handed, answered, answer.gradients, trial_.mask_bytes());
  arguments.log_sum_exp_is_read = trial_.conventions().has_log_sum_exp();
  trial_.call(device, [&] { trial_.kernel().backward(trial_.problem(), arguments, device); });
  answer.memory = device.peak();
  answer.devices = device.devices();
  const bool inputs_changed = is_changed(inputs, handed);
  answer.inputs_changed = inputs_changed || is_changed(forward, answered);
  if (!inputs_changed) trial_.take_back(inputs, std::move(handed));
  return answer;
}

Comparison BackwardTrial::compare_with_truth(const Gradients& got, const GradientFilter& filter) {
  const GradientBounds& allowed = bounds();
  const Stopwatch watch(trial_.times.truth);
  return compare_gradients(truth(), allowed, got, filter);
}

}  // namespace attestone::inline conformance
