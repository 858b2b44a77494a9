// SPDX-License-Identifier: Apache-2.0
// The bits of a row do not follow the number of keys behind the mask.
#include <fmt/format.h>

#include "conformance/properties/metamorphic/schedule.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (problem.mask.is_full()) return "the mask hides no key";
  if (!problem.lengths.empty() || !problem.query_lengths.empty()) return "sequences of different lengths";
  return without_schedules(problem);
}

/// Calls of the trial's rows with so many keys: with the queries that stand beside the keys, and, as that would move
/// rows against a bias that counts positions from the last key, without them only where there is none.
std::vector<ScheduledCall> calls(const Problem& problem, index keys) {
  std::vector<ScheduledCall> all;
  ScheduledCall call{scheduled(problem)};
  const index more = keys - problem.shape.keys;
  call.problem.shape.keys = keys;
  if (!problem.score.bias_formula()) all.push_back(call);
  call.problem.shape.queries += more;
  if (call.problem.shape.queries > 0) all.push_back(call);
  return all;
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Schedule keys{.own = problem.shape.keys,
                      .least = 1,
                      .calls = [&](index size) { return calls(problem, size); },
                      .step =
                          [](index same, index changed) {
                            return fmt::format("when the number of keys {}, the last ones behind the mask",
                                               grows(same, changed));
                          }};
  return judged(trial, {keys});
}

const Registration<Property> registered{{
    .name = "hidden_keys_invariant",
    .claim = "a row has the same bits whatever the number of keys in the call that the mask hides from it",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
    .invariance = Invariance::hidden_keys,
}};

}  // namespace
}  // namespace attestone::inline conformance
