// SPDX-License-Identifier: Apache-2.0
// The bits of a row do not follow its batch mates.
#include <algorithm>
#include <fmt/format.h>

#include "conformance/properties/metamorphic/schedule.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// So many sequences: those of the problem, over and over.
Problem with_sequences(const Problem& problem, index batch) {
  Problem other = scheduled(problem);
  other.shape.batch = batch;
  for (std::vector<index>* lengths : {&other.lengths, &other.query_lengths}) {
    const std::vector<index> own = *lengths;
    lengths->clear();
    for (index b = 0; b < batch && !own.empty(); ++b) lengths->push_back(own[static_cast<std::size_t>(b) % own.size()]);
  }
  return other;
}

/// With one sequence more, of so many queries and keys.
ScheduledCall with_mate(const Problem& problem, index length) {
  Problem other = scheduled(problem);
  other.query_lengths.clear(), other.lengths.clear();
  for (index b = 0; b < problem.shape.batch; ++b) {
    other.query_lengths.push_back(problem.sequence(b).queries);
    other.lengths.push_back(problem.sequence(b).keys);
  }
  ++other.shape.batch;
  for (std::vector<index>* lengths : {&other.lengths, &other.query_lengths}) lengths->push_back(length);
  other.shape.queries = std::max(problem.shape.queries, length);
  other.shape.keys = std::max(problem.shape.keys, length);
  return {other, 0, 1};
}

Schedule sequences(const Problem& problem) {
  return {.own = problem.shape.batch,
          .least = 1,
          .calls = [&problem](index size) { return std::vector<ScheduledCall>{{with_sequences(problem, size)}}; },
          .step = [](index same, index changed) { return "when the batch " + grows(same, changed); }};
}

/// Mates of every length: who chooses by the longest sequence of a call notices one that is longer.
Schedule mates(const Problem& problem) {
  return {.own = 0,
          .least = 1,
          .calls = [&problem](index length) { return std::vector<ScheduledCall>{with_mate(problem, length)}; },
          .step =
              [](index same, index changed) {
                return fmt::format("when a sequence of length {} joins the batch{}", changed,
                                   same == 0 ? "" : fmt::format(", not when one of length {} does", same));
              }};
}

Verdict check(Trial& trial) { return judged(trial, {sequences(trial.problem()), mates(trial.problem())}); }

const Registration<Property> registered{{
    .name = "batch_invariant",
    .claim =
        "a row has the same bits whatever sequences are in the call with its own, and whatever its place among them",
    .inapplicable = without_schedules,
    .check = check,
    .relation = true,
    .invariance = Invariance::batch,
}};

}  // namespace
}  // namespace attestone::inline conformance
