// SPDX-License-Identifier: Apache-2.0
// Keys that a query cannot see might as well not be there.
#include <fmt/format.h>

#include "conformance/properties/metamorphic/relation.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// The first half of the queries, with the keys up to the last of them: its positions are those in the whole.
Problem prefix_of(const Problem& problem) {
  Problem prefix = forward_of(problem);
  prefix.shape.queries = (problem.shape.queries + 1) / 2;
  prefix.shape.keys = problem.shape.keys - (problem.shape.queries - prefix.shape.queries);
  return prefix;
}

std::string inapplicable(const Problem& problem) {
  if (!problem.lengths.empty() || !problem.query_lengths.empty()) return "sequences of different lengths";
  if (problem.shape.queries < 2) return "fewer than two queries";
  const Problem prefix = prefix_of(problem);
  if (prefix.shape.keys < 1) return "no key before the second half of the queries";
  return sees_the_same(prefix, problem, same_row) ? "" : "the first queries see later keys, or others without them";
}

Verdict check(Trial& trial) {
  const Problem prefix = prefix_of(trial.problem());
  const Inputs& whole = trial.inputs();
  RelatedCall call{prefix, Inputs(prefix), unmoved(trial.truth(), prefix)};
  copy_elements(whole.query.view(), call.inputs.query.view());
  copy_elements(whole.key.view(), call.inputs.key.view());
  copy_elements(whole.value.view(), call.inputs.value.view());
  if (whole.bias) copy_elements(whole.bias->view(), call.inputs.bias->view());
  if (whole.sink) call.inputs.sink.emplace(*whole.sink);
  return judged(trial, call, "prefix", fmt::format("the first {} queries without what follows", prefix.shape.queries));
}

const Registration<Property> registered{{
    .name = "prefix_alone",
    .claim = "under a causal mask the first half of the queries answers alone, with the keys up to it, what it answers "
             "in the whole",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
