// SPDX-License-Identifier: Apache-2.0
// A shared library that exports the C interface (backends/plugins/protocol/kernel.h) is a kernel like any other.
#pragma once

#include <string>

#include "backends/kernel.hpp"
#include "backends/plugins/protocol/call_limits.hpp"

namespace attestone::inline backends {

/// The kernel in the library at `path`, named "plugin:" and that path. Its calls run in a process of their own, which
/// ends with the kernel; they throw KernelFault or KernelRefusal instead of harming anybody. UserError if the library
/// cannot be loaded.
SharedKernel plugin_kernel(const std::string& path, const CallLimits& = {});

}  // namespace attestone::inline backends
