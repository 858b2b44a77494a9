// SPDX-License-Identifier: Apache-2.0
// A mutant: a kernel that is wrong on purpose in one step, beside its faultless twin.
#pragma once

#include <string_view>

#include "backends/kernel.hpp"

namespace attestone::inline mutants {

/// One wrong kernel: a row of a table in mutants/faults/.
struct Mutant {
  std::string_view name;
  std::string_view summary;       ///< what it does wrong, in one sentence
  std::string_view source = {};   ///< the public thread in which a real kernel had it; empty if we made it up
  std::string_view property;      ///< the property that convicts it ...
  std::string_view reason;        ///< ... with this verdict ...
  std::string_view problem;       ///< ... on this problem, about the smallest that shows the fault
  std::string_view variant = {};  ///< the diagnosis: the name of the Variant that it computes; empty if none
  std::string_view batch = {};    ///< in which it came from an outside author, "first" to "seventh"; empty if ours
  SharedKernel (*kernel)();
  SharedKernel (*twin)();  ///< the same kernel without the fault, which every property accepts
};

/// A right kernel among the wrong ones: what some of them are but for their fault, or another way to be right.
struct Twin {
  std::string_view name, summary;
  std::string_view batch = {};  ///< in which it came, like a Mutant's
  SharedKernel (*kernel)();
};

}  // namespace attestone::inline mutants
