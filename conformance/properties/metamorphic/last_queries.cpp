// SPDX-License-Identifier: Apache-2.0
// Cutting off the first queries.
#include "conformance/properties/metamorphic/last_queries.hpp"

namespace attestone::inline conformance {
namespace {

Problem cut(const Problem& problem, index first) {
  Problem last = forward_of(problem);
  last.shape.queries -= first;
  return last;
}

RowOrigin origin(index first) {
  return [first](const AnswerRow& row) { return AnswerRow{row.batch, row.head, first + row.query}; };
}

}  // namespace

std::string no_last_queries(const Problem& problem, index first) {
  if (!problem.query_lengths.empty()) return "sequences end at different queries";
  if (problem.dropout > 0) return "dropout draws by the place of the query";
  return sees_the_same(cut(problem, first), problem, origin(first)) ? "" : "the mask tells the queries apart";
}

RelatedCall last_queries(Trial& trial, index first) {
  const Problem last = cut(trial.problem(), first);
  const Inputs& whole = trial.inputs();
  RelatedCall call{last, Inputs(last), moved(trial.truth(), last, origin(first))};
  const auto later = [first](const Extents& at) { return Extents{at[0], at[1], first + at[2], at[3]}; };
  copy_elements(whole.query.view(), call.inputs.query.view(), later);
  copy_elements(whole.key.view(), call.inputs.key.view());
  copy_elements(whole.value.view(), call.inputs.value.view());
  if (whole.bias) copy_elements(whole.bias->view(), call.inputs.bias->view(), later);
  if (whole.sink) call.inputs.sink.emplace(*whole.sink);
  return call;
}

}  // namespace attestone::inline conformance
