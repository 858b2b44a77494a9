// SPDX-License-Identifier: Apache-2.0
// Findings from further calls about a failure: which elements are wrong, when it happens, and the kind of fault.
#pragma once

#include <string>
#include <vector>

#include "reference/shape.hpp"

namespace attestone::inline conformance {

/// A kind of fault that predicted what the kernel answered.
struct NamedKind {
  std::string name, says, look_at;
  index predictions = 0;  ///< further calls that came out as it says
};

/// Each part is empty where nothing can be said.
struct Circumstances {
  std::string pattern;                 ///< "dquery alone: channels from dim on": of every wrong answer that was seen
  std::vector<std::string> only_with;  ///< "a sink", "more than one thread": without each of them the kernel is right
  std::vector<std::string> only_if;    ///< "keys are no multiple of 32": where it does not hold the kernel is right
  std::vector<NamedKind> kinds;
  index calls = 0;        ///< of the kernel, that were made to find this
  index fresh_calls = 0;  ///< of these, made afterwards, to see whether it is false anywhere else

  bool empty() const { return pattern.empty() && only_with.empty() && only_if.empty() && kinds.empty(); }
};

}  // namespace attestone::inline conformance
