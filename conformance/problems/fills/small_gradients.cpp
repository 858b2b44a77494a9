// SPDX-License-Identifier: Apache-2.0
// A thousandth of the usual dO.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double size = 1e-3;

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) { return normal_for(problem, at); };
}

ElementSource others(const Problem& problem) {
  return [problem, normal = normal_others(problem)](const Element& at) {
    return (at.tensor == TensorName::dout ? size : 1) * normal(at);
  };
}

const Registration<Fill> registered{{
    .name = "small_gradients",
    .aim = "gradients below the normal range of f16: dS that is cast without a scale of its own",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .others = others,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
