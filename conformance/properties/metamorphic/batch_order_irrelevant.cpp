// SPDX-License-Identifier: Apache-2.0
// Sequences of a batch have no order.
#include <algorithm>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// The sequences in reverse order.
Problem reversed(const Problem& problem) {
  Problem other = problem;
  other.drop_gradients();
  std::reverse(other.lengths.begin(), other.lengths.end());
  std::reverse(other.query_lengths.begin(), other.query_lengths.end());
  return other;
}

RowOrigin origin(const Problem& problem) {
  const index last = problem.shape.batch - 1;
  return [last](const AnswerRow& row) { return AnswerRow{last - row.batch, row.head, row.query}; };
}

std::string inapplicable(const Problem& problem) {
  if (problem.shape.batch == 1) return "one sequence";
  if (problem.dropout > 0) return "dropout draws by the place in the batch";
  return sees_the_same(reversed(problem), problem, origin(problem)) ? ""
                                                                    : "the mask is drawn by the place in the batch";
}

Verdict check(Trial& trial) {
  const Problem other = reversed(trial.problem());
  const Inputs& original = trial.inputs();
  RelatedCall call{other, Inputs(other), moved(trial.truth(), other, origin(other))};
  const auto reverse = [&](const Tensor& from, Tensor& to) {
    copy_elements(from.view(), to.view(), [&](const Extents& at) {
      return Extents{other.shape.batch - 1 - at[0], at[1], at[2], at[3]};
    });
  };
  reverse(original.query, call.inputs.query);
  reverse(original.key, call.inputs.key);
  reverse(original.value, call.inputs.value);
  if (original.bias) reverse(*original.bias, *call.inputs.bias);
  if (original.sink) call.inputs.sink.emplace(*original.sink);
  return judged(trial, call, "batch-order", "with the sequences in reverse order");
}

const Registration<Property> registered{{
    .name = "batch_order_irrelevant",
    .claim = "reversing the order of the sequences in the batch reverses the order of their answers",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
