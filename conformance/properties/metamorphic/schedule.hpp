// SPDX-License-Identifier: Apache-2.0
// Schedules: other calls in which rows of a trial meet the same keys, and have the same bits if the kernel declares so.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/properties/metamorphic/relation.hpp"

namespace attestone::inline conformance {

/// Another call. Its row (batch, head, query) is row (batch mod the trial's batch, head mod its heads, first_query +
/// query) of the trial, as far as that has it; what stands behind the trial's queries and keys repeats them.
struct ScheduledCall {
  Problem problem;
  index first_query = 0;
  index strangers = 0;  ///< sequences at the end, none of which is one of the trial's

  index known_sequences() const { return problem.shape.batch - strangers; }
};

/// A number that a scheduler chooses: how many sequences, the queries of a chunk, ...
struct Schedule {
  index own;    ///< in the trial's call
  index least;  ///< below which there are no calls
  /// The calls with another number; a call that shows the rows other keys than the trial does is left out.
  std::function<std::vector<ScheduledCall>(index)> calls;
  /// From one number, at which the bits are the trial's, to another: "when the batch grows from 2 to 3".
  std::function<std::string(index same, index changed)> step;
};

/// The trial's problem, packed unless its sequences lie behind each other: what schedules change.
Problem scheduled(const Problem&);

/// "grows from 2 to 3", or "shrinks from 3 to 2".
std::string grows(index from, index to);

/// The numbers that are tried: powers of two, which tiles are, with their neighbours, and the neighbours of `own`.
std::vector<index> sizes_around(index own, index least);

/// Compares O, log_sum_exp, max_logits and dQ of the rows, and dK and dV where keys meet the same queries, bit by bit;
/// -0 is 0, and NaN is NaN. Fails with "schedule" and the least step at which bits change, its numbers next to each
/// other where there are calls between. Skipped if there is no call.
Verdict judged(Trial&, const std::vector<Schedule>&);

/// Why nothing is asked about a problem: no row sees a key, inputs are no numbers, or it is too long for so many calls.
std::string without_schedules(const Problem&);

}  // namespace attestone::inline conformance
