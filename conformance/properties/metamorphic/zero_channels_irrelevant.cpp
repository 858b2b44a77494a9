// SPDX-License-Identifier: Apache-2.0
// Channels of zeros add nothing to a score.
#include <fmt/format.h>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// Up to the next multiple, which is what kernels pad dim to.
constexpr index multiple = 8;

Problem widened(const Problem& problem) {
  Problem other = forward_of(problem);
  other.given_scale = problem.scale();
  other.shape.dim = (problem.shape.dim / multiple + 1) * multiple;
  return other;
}

std::string inapplicable(const Problem& problem) { return without_numbers(problem); }

void append_zeros(const ConstView& from, Tensor& to) {
  to.fill_code(0);
  const View wider = to.view();
  copy_elements(from, View(wider.data(), wider.dtype(), from.extents(), wider.strides()));
}

Verdict check(Trial& trial) {
  const Problem other = widened(trial.problem());
  const Inputs& original = trial.inputs();
  RelatedCall call{other, Inputs(other), unmoved(trial.truth(), other)};
  append_zeros(original.query.view(), call.inputs.query);
  append_zeros(original.key.view(), call.inputs.key);
  copy_elements(original.value.view(), call.inputs.value.view());
  if (original.bias) call.inputs.bias.emplace(*original.bias);
  if (original.sink) call.inputs.sink.emplace(*original.sink);
  return judged(trial, call, "channels", fmt::format("with zeros in Q and K up to dim {}", other.shape.dim));
}

const Registration<Property> registered{{
    .name = "zero_channels_irrelevant",
    .claim = "channels of zeros appended to Q and K change nothing",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
