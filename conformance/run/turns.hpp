// SPDX-License-Identifier: Apache-2.0
// Whose turn it is: relations are too dear to be tried on every problem of a long suite.
#pragma once

#include <map>
#include <vector>

#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

/// True if the problems are so many that relations take turns.
bool in_turns(const RunOptions&);

/// On how many of so many problems a relation is tried, if it applies to as many.
index tries_of_each(index problems);

/// Each relation is tried on the same number of problems, however many it applies to: what one more try shows is less
/// with each, so that it is worth most where the fewest came before. Those of a relation are spread evenly over the
/// problems to which it applies, and not all relations come at the same.
class Turns {
 public:
  Turns() = default;
  /// Deals turns to the relations among the properties, independent of any kernel.
  Turns(const std::vector<Problem>&, const std::vector<const Property*>&);

  /// True if the relation has its turn on the next problem to which it applies.
  bool comes(const Property& relation);

 private:
  struct OfOne {
    index applies, tries, met;  ///< to so many problems, on so many, and so many so far; `met` begins anywhere
  };
  std::map<const Property*, OfOne> relations_;
};

}  // namespace attestone::inline conformance
