// SPDX-License-Identifier: Apache-2.0
// Failures by cause: what many properties say in the same words is told once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/problems/shared_traits.hpp"
#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

/// One thing that is wrong, as far as its words tell.
struct Cause {
  const Failure* failure;              ///< the first that says so
  std::vector<const Failure*> others;  ///< with the same reason, and the same evidence but for its numbers
  std::optional<SharedTraits> shared;  ///< of the problems on which any of these failures was seen
};

/// In the order of the first failure of each.
std::vector<Cause> causes(const KernelRun&);

/// All of a cause, the shown one first.
std::vector<const Failure*> failures_of(const Cause&);

/// "exact_keys (12 cases), gain": the others of a cause; nothing if there are none.
std::string others_text(const Cause&);

}  // namespace attestone::inline conformance
