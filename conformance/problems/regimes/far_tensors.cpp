// SPDX-License-Identifier: Apache-2.0
// Which tensor has offsets beyond 32 bits, while the others lie as ever.
#include <algorithm>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const std::string far_layout = "sparse";

bool lies_far(const Problem& problem, TensorName tensor) {
  return std::ranges::any_of(problem.tensor_layouts,
                             [=](const TensorLayout& own) { return own.tensor == tensor && own.layout == far_layout; });
}

bool exists(const Problem& problem, TensorName tensor) {
  const std::vector<TensorName> of_forward{TensorName::query, TensorName::key, TensorName::value, TensorName::out};
  return problem.backward || std::ranges::count(of_forward, tensor) > 0;
}

Regime far(TensorName tensor) {
  const auto enter = [=](Problem& problem, Draws&) {
    std::erase_if(problem.tensor_layouts, [=](const TensorLayout& own) { return own.tensor == tensor; });
    problem.tensor_layouts.push_back({tensor, far_layout, {}});
    std::ranges::sort(problem.tensor_layouts, {}, &TensorLayout::tensor);
  };
  return {std::string(text(tensor)), enter,
          [=](const Problem& problem) { return exists(problem, tensor) && lies_far(problem, tensor); }};
}

std::vector<Regime> regimes() {
  std::vector<Regime> all{{"none", [](Problem&, Draws&) {},
                           [](const Problem& problem) {
                             return std::ranges::count(problem.tensor_layouts, far_layout, &TensorLayout::layout) == 0;
                           }}};
  for (const TensorName tensor : placed_tensors()) all.push_back(far(tensor));
  return all;
}

const Registration<Axis> registered{{
    .name = "far",
    .aim = "offsets that leave 32 bits, of one tensor at a time",
    .turn = 18,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone
