// SPDX-License-Identifier: Apache-2.0
// Whose turn it is: relations are too dear to be tried on every problem of a long suite.
#pragma once

#include <map>

#include "conformance/run/run.hpp"

namespace attestone {

// A relation calls the kernel again, and has a truth or bounds of its own: all of them on every problem would cost
// thrice what everything else does.
constexpr index relations_take_turns = 7;

/// Whether the problems are so many that relations take turns.
inline bool in_turns(const RunOptions& options) {
  return options.properties.empty() && std::ssize(options.problems) >= 2 * relations_take_turns;
}

/// Each relation's turn comes at one in seven of the problems to which it applies, and not all come at the same.
class Turns {
 public:
  bool comes(const Property& relation) {
    return met_.try_emplace(&relation, std::ssize(met_)).first->second++ % relations_take_turns == 0;
  }

 private:
  std::map<const Property*, index> met_;  // how many problems it applied to; it begins with its number
};

}  // namespace attestone
