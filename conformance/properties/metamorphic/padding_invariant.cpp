// SPDX-License-Identifier: Apache-2.0
// The bits of a row do not follow the padding behind the sequences.
#include <algorithm>

#include "conformance/properties/metamorphic/schedule.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// The lengths of the sequences, their place, and what of it is padding even behind the longest.
struct Padded {
  std::vector<index> lengths;
  index place;

  index longest() const { return *std::max_element(lengths.begin(), lengths.end()); }
  index padding() const { return place - longest(); }
};

Padded keys_of(const Problem& problem) {
  Padded keys{{}, problem.shape.keys};
  for (index b = 0; b < problem.shape.batch; ++b) keys.lengths.push_back(problem.sequence(b).keys);
  return keys;
}

Padded queries_of(const Problem& problem) {
  Padded queries{{}, problem.shape.queries};
  for (index b = 0; b < problem.shape.batch; ++b) queries.lengths.push_back(problem.sequence(b).queries);
  return queries;
}

/// So much padding behind the longest sequence: the extent, and the lengths if there is any padding.
void pad(const Padded& own, index padding, index& place, std::vector<index>& lengths) {
  place = own.longest() + padding;
  lengths = own.lengths;
  if (std::ranges::all_of(lengths, [&](index length) { return length == place; })) lengths.clear();
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const Padded keys = keys_of(problem), queries = queries_of(problem);
  if (keys.longest() == 0 || queries.longest() == 0) return Verdict::skipped("nothing but padding");
  const auto padded_keys = [&](index padding) {
    ScheduledCall call{scheduled(problem)};
    pad(keys, padding, call.problem.shape.keys, call.problem.lengths);
    return std::vector<ScheduledCall>{call};
  };
  const auto padded_queries = [&](index padding) {
    ScheduledCall call{scheduled(problem)};
    pad(queries, padding, call.problem.shape.queries, call.problem.query_lengths);
    return std::vector<ScheduledCall>{call};
  };
  const auto says = [](const std::string& of) {
    return [of](index same, index changed) { return "when the padding of the " + of + " " + grows(same, changed); };
  };
  return judged(
      trial, {{keys.padding(), 0, padded_keys, says("keys")}, {queries.padding(), 0, padded_queries, says("queries")}});
}

const Registration<Property> registered{{
    .name = "padding_invariant",
    .claim = "a row has the same bits however much padding stands behind the sequences",
    .inapplicable = without_schedules,
    .check = check,
    .relation = true,
    .invariance = Invariance::padding,
}};

}  // namespace
}  // namespace attestone::inline conformance
