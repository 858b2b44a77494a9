// SPDX-License-Identifier: Apache-2.0
// Which tensor has offsets beyond 32 bits, while the others lie as ever.
#include <algorithm>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

const std::string far_layout = "sparse";

bool exists(const Problem& problem, TensorName tensor) {
  const std::vector<TensorName> of_forward{TensorName::query, TensorName::key, TensorName::value, TensorName::out};
  return problem.backward || std::ranges::count(of_forward, tensor) > 0;
}

void move_one_far(Problem& problem, Draws& draws) {
  std::vector<TensorName> there;
  for (const TensorName tensor : placed_tensors())
    if (exists(problem, tensor)) there.push_back(tensor);
  const TensorName tensor = draws.one_of(there);
  std::erase_if(problem.tensor_layouts, [=](const TensorLayout& own) { return own.tensor == tensor; });
  problem.tensor_layouts.push_back({tensor, far_layout, {}});
  std::ranges::sort(problem.tensor_layouts, {}, &TensorLayout::tensor);
}

index far_tensors(const Problem& problem) {
  return std::ranges::count(problem.tensor_layouts, far_layout, &TensorLayout::layout);
}

std::vector<Regime> regimes() {
  return {{"none", [](Problem&, Draws&) {}, [](const Problem& problem) { return far_tensors(problem) == 0; }},
          {"one", move_one_far, [](const Problem& problem) { return far_tensors(problem) == 1; }}};
}

const Registration<Axis> registered{{
    .name = "far",
    .aim = "offsets that leave 32 bits, of one tensor at a time",
    .turn = 18,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
