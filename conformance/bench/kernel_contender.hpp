// SPDX-License-Identifier: Apache-2.0
// A kernel as a contender: one of ours, or one from outside.
#pragma once

#include "backends/kernel.hpp"
#include "conformance/bench/contender.hpp"

namespace attestone::inline conformance {

/// Calls the kernel's forward pass, or its backward pass where the problem has gradients: that one alone, on the
/// kernel's own answer. An outside kernel is timed as attestone meets it, with what a call through its door takes.
std::unique_ptr<Contender> kernel_contender(SharedKernel);

/// Inputs of the extents and formats of the problem, filled as it says. Normal ones repeat after some thousand numbers:
/// how long a call takes does not depend on it, and how long the bench takes does.
Inputs bench_inputs(const Problem&);

}  // namespace attestone::inline conformance
