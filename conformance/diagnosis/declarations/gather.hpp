// SPDX-License-Identifier: Apache-2.0
// The evidence that a named arithmetic must explain: the failures of a kernel, and fresh problems of their kind.
#pragma once

#include <functional>

#include "conformance/diagnosis/declarations/evidence.hpp"

namespace attestone::inline conformance {

/// The kernel's answers to the problems, which must be there, and to some twenty fresh ones: of the shapes of the first
/// and the last and of a larger one, with other seeds, with fills that are aimed at roundings and at faults, and with
/// inputs that set one part of the arithmetic apart. The cheap ones first. `check` is called before each, and may
/// throw. Fresh problems that the kernel refuses are left out; KernelFault and KernelCrash pass.
AllEvidence gather_evidence(const Kernel&, const std::vector<Problem>&, bool gradients,
                            const std::function<void()>& check);

}  // namespace attestone::inline conformance
