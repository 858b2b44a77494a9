// SPDX-License-Identifier: Apache-2.0
// Heads have no order.
#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

Problem forward_only(const Problem& problem) {
  Problem other = problem;
  other.drop_gradients();
  return other;
}

RowOrigin origin(const Problem& problem) {
  const index last = problem.shape.heads - 1;
  return [last](const AnswerRow& row) { return AnswerRow{row.batch, last - row.head, row.query}; };
}

std::string inapplicable(const Problem& problem) {
  if (problem.shape.heads == 1) return "one head";
  if (problem.dropout > 0) return "dropout draws by the head";
  if (problem.score.has("alibi")) return "ALiBi's slopes belong to places, not to heads";
  return sees_the_same(problem, problem, origin(problem)) ? "" : "the mask is drawn by the head";
}

/// Query heads in reverse order read their kv heads in reverse order.
Verdict check(Trial& trial) {
  const Problem other = forward_only(trial.problem());
  const Inputs& original = trial.inputs();
  RelatedCall call{other, Inputs(other), moved(trial.truth(), other, origin(other))};
  const auto reverse = [](const Tensor& from, Tensor& to) {
    const index last = from.view().extents()[1] - 1;
    copy_elements(from.view(), to.view(), [last](const Extents& at) {
      return Extents{at[0], last - at[1], at[2], at[3]};
    });
  };
  reverse(original.query, call.inputs.query);
  reverse(original.key, call.inputs.key);
  reverse(original.value, call.inputs.value);
  if (original.bias) reverse(*original.bias, *call.inputs.bias);
  if (original.sink) reverse(*original.sink, *call.inputs.sink);
  return judged(trial, call, "head-order", "with the heads in reverse order");
}

const Registration<Property> registered{{
    .name = "head_order_irrelevant",
    .claim = "reversing the order of the heads, and of whatever belongs to them, reverses the order of their answers",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
