// SPDX-License-Identifier: Apache-2.0
// Whose turn it is: relations are too dear to be tried on every problem of a long suite.
#pragma once

#include <algorithm>
#include <map>

#include "conformance/run/run.hpp"

namespace attestone {

// A relation calls the kernel again, and has a truth or bounds of its own: all of them on every problem would cost
// thrice what everything else does. Among thousands of problems a rarer turn is as good.
constexpr index most_frequent_turn = 7, rarest_turn = 28, turns_wanted = 64;

/// Whether the problems are so many that relations take turns.
inline bool in_turns(const RunOptions& options) {
  return options.properties.empty() && std::ssize(options.problems) >= 2 * most_frequent_turn;
}

/// Each relation's turn comes at one in seven of the problems to which it applies, or at fewer of very many, and not
/// all come at the same.
class Turns {
 public:
  explicit Turns(index problems = 0) : every_(std::clamp(problems / turns_wanted, most_frequent_turn, rarest_turn)) {}
  bool comes(const Property& relation) {
    return met_.try_emplace(&relation, std::ssize(met_)).first->second++ % every_ == 0;
  }

 private:
  index every_;
  std::map<const Property*, index> met_;  // how many problems it applied to; it begins with its number
};

}  // namespace attestone
