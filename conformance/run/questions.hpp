// SPDX-License-Identifier: Apache-2.0
// The questions about a problem: the properties that have something to say about it, and whose turn it is.
#pragma once

#include "conformance/run/turns.hpp"

namespace attestone::inline conformance {

/// A property that applies to a problem.
struct Question {
  const Property* property;
  bool comes = true;  ///< false of a relation whose turn it is not
  /// The verdict on a property that threw when asked whether it applies, or that was chosen for a kernel that does not
  /// declare it.
  std::optional<Verdict> at_once = {};
};

/// Deals out the questions, problem by problem.
class Questions {
 public:
  /// Takes the properties of the run's options, in their order.
  explicit Questions(const RunOptions&);

  /// The questions about a problem; properties that the kernel does not declare are left out unless someone chose them.
  std::vector<Question> about(const Problem&, const Kernel&);
  /// The turns on which the next problem's questions depend.
  const Turns& turns() const { return turns_; }
  /// Takes questions back, as if only the first `asked` ones of the last problem had been dealt out after `before`.
  void take_back(const Turns& before, const std::vector<Question>& of_the_last, std::size_t asked);

 private:
  std::vector<const Property*> properties_;
  bool in_turns_, chosen_;
  Turns turns_;
};

}  // namespace attestone::inline conformance
