// SPDX-License-Identifier: Apache-2.0
// Diagnosis: the named wrong variant of attention that a failing kernel computes.
#pragma once

#include <string>
#include <vector>

#include "backends/kernel.hpp"
#include "conformance/diagnosis/variant.hpp"

namespace attestone::inline conformance {

/// One variant that explains the answer of a kernel.
struct Finding {
  std::string name, says, look_at;
  std::string problem;  ///< on which the answers were compared
};

/// The variants that a kernel's answer to the problem is as near to as rounding may carry any element of the right
/// answer, and far nearer than to the right one; that predict its answers to fresh problems of the same kind (other
/// seeds); and that nothing refutes which the kernel answers to the problem with fill=normal, or with its own. With
/// fill=normal first, which tells variants apart best. Several are alternatives that these problems cannot tell apart.
/// Empty if the kernel is right there, is like no variant, or the problem is too large.
std::vector<Finding> diagnose(const Kernel&, const Problem&);

}  // namespace attestone::inline conformance
