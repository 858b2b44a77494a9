// SPDX-License-Identifier: Apache-2.0
// Handing tensors to a kernel, and what is true of one that says nothing else.
#include "backends/kernel.hpp"

#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

KernelInputs kernel_inputs(const Problem& problem, const Inputs& inputs, const VisiblePairs* mask) {
  const Shape& s = problem.shape;
  KernelInputs all{
      inputs.query.view(), inputs.key.view(), inputs.value.view(), std::nullopt, std::nullopt, mask, nullptr};
  if (inputs.bias) all.bias = inputs.bias->view().broadcast_to({s.batch, s.heads, s.queries, s.keys});
  if (inputs.sink) all.sink = inputs.sink->view();
  return all;
}

std::optional<View> view_of(std::optional<Tensor>& tensor) {
  return tensor ? std::optional(tensor->view()) : std::nullopt;
}

}  // namespace

Arguments arguments_of(const Problem& problem, const Inputs& inputs, Outputs& outputs, const VisiblePairs* mask) {
  return {kernel_inputs(problem, inputs, mask), outputs.out.view(), outputs.log_sum_exp.view(),
          view_of(outputs.max_logits)};
}

BackwardArguments arguments_of(const Problem& problem, const Inputs& inputs, const Outputs& outputs,
                               Gradients& gradients, const VisiblePairs* mask) {
  return {kernel_inputs(problem, inputs, mask),
          outputs.out.view(),
          outputs.log_sum_exp.view(),
          inputs.dout->view(),
          std::nullopt,
          gradients.query.view(),
          gradients.key.view(),
          gradients.value.view(),
          view_of(gradients.bias),
          view_of(gradients.sink)};
}

Numerics Kernel::numerics(const Problem& problem) const { return default_numerics(problem.input, problem.output); }

void Kernel::backward(const Problem&, const BackwardArguments&, Device&) const {
  require(false, "only a kernel that says how it computes gradients is asked for them");
}

void Kernel::forward_partials(const Problem&, const PartialArguments&, Device&) const {
  require(false, "only a kernel that computes partial answers is asked for them");
}

Support Kernel::takes(const Problem& problem) const {
  if (problem.backward && !computes_gradients()) return Support::refused("computes no gradients");
  const bool maxima = problem.wanted(TensorName::max_logits);
  if (maxima && !computes_max_logits()) return Support::refused("computes no max_logits");
  if (!conventions().has_log_sum_exp() && !maxima && !problem.wanted(TensorName::out))
    return Support::refused("has no log_sum_exp, and nobody asks for out");
  return supports(problem);
}

}  // namespace attestone::inline backends
