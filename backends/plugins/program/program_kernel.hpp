// SPDX-License-Identifier: Apache-2.0
// Any program that answers on its standard output (docs/plugins.md) is a kernel like any other.
#pragma once

#include <string>

#include "backends/kernel.hpp"
#include "backends/plugins/protocol/call_limits.hpp"

namespace attestone::inline backends {

/// The kernel that the shell line starts, named "program:" and that line. The program lives as long as the kernel; its
/// calls throw KernelFault or KernelRefusal. UserError if it cannot be started, or does not describe itself.
SharedKernel program_kernel(const std::string& line, const CallLimits& = {});

}  // namespace attestone::inline backends
