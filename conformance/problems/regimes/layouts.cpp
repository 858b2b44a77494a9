// SPDX-License-Identifier: Apache-2.0
// Where tensors lie: every registered layout, and tensors apart from each other.
#include <algorithm>

#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/layout.hpp"

namespace attestone::inline conformance {
namespace {

/// Tensors that lie far are an axis of their own.
const std::string far_layout = "sparse";

bool any_apart(const Problem& problem) {
  return std::ranges::any_of(problem.tensor_layouts, [](const TensorLayout& own) { return own.layout != far_layout; });
}

std::vector<Regime> regimes() {
  std::vector<Regime> all;
  for (const auto& [name, layout] : Registry<Layout>::all()) {
    if (name == far_layout) continue;
    all.push_back({name, [name = name](Problem& problem, Draws&) { problem.layout = name; },
                   [name = name, &layout = layout](const Problem& problem) {
                     return problem.layout == name && !any_apart(problem) && layout.takes(problem.shape);
                   }});
  }
  const auto apart = [](Problem& problem, Draws& draws) {
    for (const TensorName tensor : placed_tensors()) {
      const bool exists = tensor == TensorName::query || tensor == TensorName::key || tensor == TensorName::value ||
                          tensor == TensorName::out || problem.backward;
      if (exists && draws.chance(0.5))
        problem.tensor_layouts.push_back({tensor, draws.one_of<std::string>({"bshd", "transposed", "strided"}), {}});
    }
  };
  all.push_back({"apart", apart, any_apart});
  return all;
}

const Registration<Axis> registered{{
    .name = "layout",
    .aim = "strides of one tensor taken for those of another, and rows that are not dense",
    .turn = 15,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
