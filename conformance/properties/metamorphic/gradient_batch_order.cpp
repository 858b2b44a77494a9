// SPDX-License-Identifier: Apache-2.0
// Gradients of sequences follow them.
#include <algorithm>

#include "conformance/properties/metamorphic/gradient_relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// The sequences in reverse order.
Problem reversed(const Problem& problem) {
  Problem other = problem;
  std::reverse(other.lengths.begin(), other.lengths.end());
  std::reverse(other.query_lengths.begin(), other.query_lengths.end());
  return other;
}

std::string inapplicable(const Problem& problem) {
  if (!problem.backward) return without_gradients(problem);
  if (problem.shape.batch == 1) return "one sequence";
  if (problem.dropout > 0) return "dropout draws by the place in the batch";
  const index last = problem.shape.batch - 1;
  const auto origin = [last](const AnswerRow& row) { return AnswerRow{last - row.batch, row.head, row.query}; };
  return sees_the_same(reversed(problem), problem, origin) ? "" : "the mask is drawn by the place in the batch";
}

void reverse(const Tensor& from, Tensor& to) {
  const index last = from.view().extents()[0] - 1;
  copy_elements(from.view(), to.view(), [last](const Extents& at) {
    return Extents{last - at[0], at[1], at[2], at[3]};
  });
}

CertifiedTensor reversed(const CertifiedTensor& from) {
  CertifiedTensor to = from;
  const auto& [batches, heads, rows, channels] = from.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) to.at(b, h, r, c) = from.at(batches - 1 - b, h, r, c);
  return to;
}

Verdict check(Trial& trial) {
  const Problem other = reversed(trial.problem());
  const Inputs& original = trial.inputs();
  RelatedBackwardCall call{other, Inputs(other), trial.backward().truth()};
  reverse(original.query, call.inputs.query);
  reverse(original.key, call.inputs.key);
  reverse(original.value, call.inputs.value);
  reverse(*original.dout, *call.inputs.dout);
  if (original.bias) reverse(*original.bias, *call.inputs.bias);
  if (original.sink) call.inputs.sink.emplace(*original.sink);
  for (CertifiedTensor* tensor : {&call.truth.query, &call.truth.key, &call.truth.value}) *tensor = reversed(*tensor);
  if (call.truth.bias) call.truth.bias = reversed(*call.truth.bias);
  return judged(trial, call, "gradient-order", "with the sequences in reverse order");
}

const Registration<Property> registered{{
    .name = "gradient_batch_order",
    .claim = "reversing the order of the sequences in the batch reverses the order of their gradients",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
