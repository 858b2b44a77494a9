// SPDX-License-Identifier: Apache-2.0
// The bits of a row do not follow the chunks in which a prefill comes.
#include <fmt/format.h>
#include <set>

#include "conformance/properties/metamorphic/schedule.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) {
  if (problem.shape.queries < 2) return "fewer than two queries";
  if (!problem.lengths.empty() || !problem.query_lengths.empty()) return "sequences of different lengths";
  if (problem.dropout > 0) return "dropout draws by the place of the query";
  return without_schedules(problem);
}

/// The queries from `first` up to `end`: with the keys that are there when they come, and with all keys.
std::vector<ScheduledCall> chunk(const Problem& problem, index first, index end) {
  std::vector<ScheduledCall> calls;
  ScheduledCall call{scheduled(problem), first};
  const index later = problem.shape.queries - end;
  call.problem.shape.queries = end - first;
  // A bias by formula counts positions from the last key.
  if (later == 0 || !problem.score.bias_formula()) calls.push_back(call);
  call.problem.shape.keys -= later;
  if (later > 0 && call.problem.shape.keys > 0) calls.push_back(call);
  return calls;
}

/// The first so many queries, as many in the middle, and the last.
std::vector<ScheduledCall> chunks(const Problem& problem, index size) {
  const index queries = problem.shape.queries;
  std::vector<ScheduledCall> calls;
  if (size >= queries) return calls;
  for (const index first : std::set<index>{0, queries / size / 2 * size, queries - size})
    for (ScheduledCall& call : chunk(problem, first, first + size)) calls.push_back(std::move(call));
  return calls;
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const index queries = problem.shape.queries;
  const Schedule schedule{
      .own = queries,
      .least = 1,
      .calls = [&](index size) { return chunks(problem, size); },
      .step =
          [queries](index same, index changed) {
            const std::string before = same == queries ? "all at once" : fmt::format("in chunks of {}", same);
            return fmt::format("when {} queries come in chunks of {}, not {}", queries, changed, before);
          }};
  return judged(trial, {schedule});
}

const Registration<Property> registered{{
    .name = "chunks_invariant",
    .claim = "a row has the same bits in whatever chunks of queries a prefill comes, decoding steps included",
    .inapplicable = inapplicable,
    .check = check,
    .relation = true,
    .invariance = Invariance::chunks,
}};

}  // namespace
}  // namespace attestone::inline conformance
