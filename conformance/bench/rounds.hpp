// SPDX-License-Identifier: Apache-2.0
// Rounds: every contender takes one turn, with the machine's limit measured before and after.
#pragma once

#include <functional>
#include <vector>

#include "conformance/bench/bench_result.hpp"

namespace attestone::inline conformance {

/// How rounds are held.
struct RoundOptions {
  int rounds = 7;              ///< that count
  int most_tries = 28;         ///< with those in which the limit moved
  double largest_move = 0.05;  ///< of the limit from before a round to after it, relative to their mean
};

/// One who takes turns: the entry that is filled, and what is called. Where that throws Misbehaved it leaves.
struct Turn {
  Entry* entry;
  std::function<double()> seconds;
};

/// Holds rounds until enough of them count, and fills the cell's rates and the entries. `limit` measures; throws
/// Stopped between turns when a stop is asked for.
void hold_rounds(const RoundOptions&, const std::function<double()>& limit, std::vector<Turn>, BenchCell&);

}  // namespace attestone::inline conformance
