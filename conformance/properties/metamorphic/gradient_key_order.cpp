// SPDX-License-Identifier: Apache-2.0
// Gradients of keys and values follow them.
#include "conformance/properties/metamorphic/gradient_relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  if (!problem.mask.is_full()) return "the mask tells keys apart by their place";
  if (problem.score.has_bias()) return "the bias tells keys apart by their place";
  if (problem.dropout > 0) return "dropout tells keys apart by their place";
  return problem.shape.keys < 2 ? "fewer than two keys" : "";
}

/// The row that ends up at `row` when the keys that each sequence really has are reversed.
index reversed_row(const Problem& problem, index batch, index row) {
  const index keys = problem.sequence(batch).keys;
  return row < keys ? keys - 1 - row : row;
}

void reverse_keys(const Problem& problem, const Tensor& from, Tensor& to) {
  copy_elements(from.view(), to.view(), [&](const Extents& at) {
    return Extents{at[0], at[1], reversed_row(problem, at[0], at[2]), at[3]};
  });
}

CertifiedTensor reversed(const Problem& problem, const CertifiedTensor& from) {
  CertifiedTensor to = from;
  const auto& [batches, heads, rows, channels] = from.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) to.at(b, h, r, c) = from.at(b, h, reversed_row(problem, b, r), c);
  return to;
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  RelatedBackwardCall call{problem, trial.inputs(), trial.backward().truth()};
  reverse_keys(problem, trial.inputs().key, call.inputs.key);
  reverse_keys(problem, trial.inputs().value, call.inputs.value);
  call.truth.key = reversed(problem, trial.backward().truth().key);
  call.truth.value = reversed(problem, trial.backward().truth().value);
  return judged(trial, call, "gradient-order", "with K and V in reverse order");
}

const Registration<Property> registered{{
    .name = "gradient_key_order",
    .claim = "reversing the order of keys and values together reverses that of dK and dV, and leaves dQ what it was",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
