// SPDX-License-Identifier: Apache-2.0
// The bits of a row do not follow the number of heads: on one device, or shared out among several.
#include "conformance/properties/metamorphic/schedule.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (problem.score.bias_formula()) return "the bias may follow from the number of heads";
  return without_schedules(problem);
}

/// So many kv heads, each with its heads: those of the problem, over and over.
Problem with_heads(const Problem& problem, index kv_heads) {
  Problem other = scheduled(problem);
  other.shape.heads = problem.shape.heads / problem.shape.kv_heads * kv_heads;
  other.shape.kv_heads = kv_heads;
  return other;
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Schedule heads{
      .own = problem.shape.kv_heads,
      .least = 1,
      .calls = [&](index size) { return std::vector<ScheduledCall>{{with_heads(problem, size)}}; },
      .step = [](index same, index changed) { return "when the number of kv heads " + grows(same, changed); }};
  return judged(trial, {heads});
}

const Registration<Property> registered{{
    .name = "heads_invariant",
    .claim = "a row has the same bits whatever the number of kv heads in the call, and whatever its place among them",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
    .invariance = Invariance::heads,
}};

}  // namespace
}  // namespace attestone::inline conformance
