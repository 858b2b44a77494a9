// SPDX-License-Identifier: Apache-2.0
// One attention call of any kind for tests: random inputs, poisoned outputs and gradients, and a kernel run on them.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "backends/kernel.hpp"
#include "reference/call/tensors.hpp"

namespace attestone {

/// Calls visit(batch, head, row, channel) for every place of these extents, whether or not an element exists there.
inline void for_each_element(const Extents& extents, const std::function<void(index, index, index, index)>& visit) {
  for (index batch = 0; batch < extents[0]; ++batch)
    for (index head = 0; head < extents[1]; ++head)
      for (index row = 0; row < extents[2]; ++row)
        for (index channel = 0; channel < extents[3]; ++channel) visit(batch, head, row, channel);
}

/// A problem with normally distributed inputs that follow from its seed; one bias in eight is -infinity.
struct RandomCall {
  explicit RandomCall(const Problem& p) : problem(p), inputs(p), outputs(p) {
    if (p.backward) gradients.emplace(p);
    std::mt19937_64 random(p.seed);
    std::normal_distribution<double> normal;
    for (Tensor* tensor : input_tensors())
      for_each_element(tensor->view(),
                       [&](index b, index h, index r, index c) { tensor->view().set(b, h, r, c, normal(random)); });
    if (!inputs.bias) return;
    const View bias = inputs.bias->view();
    for_each_element(bias, [&](index b, index h, index i, index j) {
      if (random() % 8 == 0) bias.set(b, h, i, j, -std::numeric_limits<double>::infinity());
    });
  }

  /// Runs the forward pass on outputs that are NaN before; returns the peak of its memory.
  index run(const Kernel& kernel) {
    for (Tensor* tensor : {&outputs.out, &outputs.log_sum_exp})
      if (tensor->exists()) tensor->fill_code(~std::uint64_t{0});
    if (outputs.max_logits) outputs.max_logits->fill_code(~std::uint64_t{0});
    Device device;
    const auto mask = mask_for(kernel);
    const Arguments arguments = arguments_of(problem, inputs, outputs, mask ? &*mask : nullptr);
    kernel.forward(problem, arguments, device);
    work = device.work();
    return device.peak().bytes;
  }

  /// Runs the backward pass, after the forward pass, on gradients that are NaN before; returns its peak.
  index run_backward(const Kernel& kernel) {
    for (Tensor* tensor : gradient_tensors()) tensor->fill_code(~std::uint64_t{0});
    Device device;
    const auto mask = mask_for(kernel);
    const BackwardArguments arguments = arguments_of(problem, inputs, outputs, *gradients, mask ? &*mask : nullptr);
    kernel.backward(problem, arguments, device);
    work = device.work();
    return device.peak().bytes;
  }

  std::vector<Tensor*> input_tensors() {
    return present({&inputs.query, &inputs.key, &inputs.value}, {&inputs.bias, &inputs.sink, &inputs.dout});
  }
  std::vector<Tensor*> gradient_tensors() {
    return present({&gradients->query, &gradients->key, &gradients->value}, {&gradients->bias, &gradients->sink});
  }
  /// O and log_sum_exp, and the gradients, if there are any.
  std::vector<Tensor*> results() {
    std::vector<Tensor*> all{&outputs.out, &outputs.log_sum_exp};
    if (gradients)
      for (Tensor* tensor : gradient_tensors()) all.push_back(tensor);
    return all;
  }
  /// The codes of all results, in the order of their axes.
  std::vector<std::uint64_t> codes() {
    std::vector<std::uint64_t> all;
    for (const Tensor* tensor : results())
      for_each_element(tensor->view(),
                       [&](index b, index h, index r, index c) { all.push_back(tensor->view().code(b, h, r, c)); });
    return all;
  }

  Problem problem;
  Inputs inputs;
  Outputs outputs;
  std::optional<Gradients> gradients;
  Work work;  ///< of the last pass

 private:
  std::optional<VisiblePairs> mask_for(const Kernel& kernel) const {
    return kernel.wants_mask_bytes(problem) ? std::optional(VisiblePairs(problem)) : std::nullopt;
  }
  static std::vector<Tensor*> present(std::vector<Tensor*> all, std::vector<std::optional<Tensor>*> others) {
    for (std::optional<Tensor>* other : others)
      if (*other) all.push_back(&**other);
    return all;
  }
};

}  // namespace attestone
