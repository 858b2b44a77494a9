// SPDX-License-Identifier: Apache-2.0
// One attention call for tests: random inputs, poisoned outputs, and a kernel run on them.
#pragma once

#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "backends/kernel.hpp"
#include "reference/tensors.hpp"

namespace attestone {

/// Calls visit(batch, head, row, channel) for every element.
inline void for_each_element(const Extents& extents, const std::function<void(index, index, index, index)>& visit) {
  for (index batch = 0; batch < extents[0]; ++batch)
    for (index head = 0; head < extents[1]; ++head)
      for (index row = 0; row < extents[2]; ++row)
        for (index channel = 0; channel < extents[3]; ++channel) visit(batch, head, row, channel);
}

/// A problem with normally distributed inputs that follow from its seed.
struct RandomCall {
  explicit RandomCall(const Problem& p) : problem(p), inputs(p), outputs(p) {
    std::mt19937_64 random(p.seed);
    std::normal_distribution<double> normal;
    const auto fill = [&](Tensor& tensor) {
      const View view = tensor.view();
      for_each_element(view, [&](index b, index h, index r, index c) { view.set(b, h, r, c, normal(random)); });
    };
    for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) fill(*tensor);
    for (std::optional<Tensor>* tensor : {&inputs.bias, &inputs.sink, &inputs.dout})
      if (*tensor) fill(**tensor);
    constexpr int one_of = 8;  // biases hides its pair
    if (inputs.bias)
      for_each_element(inputs.bias->view(), [&](index b, index h, index r, index c) {
        if (random() % one_of == 0) inputs.bias->view().set(b, h, r, c, -std::numeric_limits<double>::infinity());
      });
  }

  /// Runs the kernel on outputs that are NaN before; returns the peak of its memory.
  index run(const Kernel& kernel) {
    outputs.out.fill_code(~std::uint64_t{0});
    outputs.log_sum_exp.fill_code(~std::uint64_t{0});
    Device device;
    const auto mask = kernel.wants_mask_bytes(problem) ? std::optional(VisiblePairs(problem)) : std::nullopt;
    const Arguments arguments = arguments_of(problem, inputs, outputs, mask ? &*mask : nullptr);
    kernel.forward(problem, arguments, device);
    return device.peak().bytes;
  }

  /// The codes of O, then of log_sum_exp, in the order of their axes.
  std::vector<std::uint64_t> codes() const {
    std::vector<std::uint64_t> all;
    for (const Tensor* tensor : {&outputs.out, &outputs.log_sum_exp})
      for_each_element(tensor->view(),
                       [&](index b, index h, index r, index c) { all.push_back(tensor->view().code(b, h, r, c)); });
    return all;
  }

  Problem problem;
  Inputs inputs;
  Outputs outputs;
};

}  // namespace attestone
