// SPDX-License-Identifier: Apache-2.0
// What is asked about a problem: the properties that have something to say about it, and whose turn it is.
#pragma once

#include "conformance/run/turns.hpp"

namespace attestone::inline conformance {

/// A property that applies to a problem.
struct Question {
  const Property* property;
  bool comes = true;  ///< false of a relation whose turn it is not
  /// Of a property that threw when it was asked whether it applies, or that was chosen for a kernel that does not
  /// declare it.
  std::optional<Verdict> at_once = {};
};

/// Deals out the questions, problem by problem.
class Questions {
 public:
  /// Those of the run's options, in their order.
  explicit Questions(const RunOptions&);

  /// What a kernel does not declare is no question about it, unless somebody chose the property.
  std::vector<Question> about(const Problem&, const Kernel&);
  /// What the next problem's questions depend on.
  const Turns& turns() const { return turns_; }
  /// As if only the first `asked` questions of the last problem had been dealt out: the turns before it, and those.
  void take_back(const Turns& before, const std::vector<Question>& of_the_last, std::size_t asked);

 private:
  std::vector<const Property*> properties_;
  bool in_turns_, chosen_;
  Turns turns_;
};

}  // namespace attestone::inline conformance
