// SPDX-License-Identifier: Apache-2.0
// Words for what came instead of a reply.
#pragma once

#include "backends/kernel_fault.hpp"
#include "backends/plugins/protocol/wire.hpp"
#include "backends/plugins/shared_library/call_plan.hpp"

namespace attestone::inline backends {

/// For a failed access to one of the call's own tensors; nothing if what was signalled is none.
std::optional<KernelFault> misplaced_access(const wire::Reply& signalled, const CallPlan&);

/// For a process that ended; `signalled` is what it said of a signal, if anything.
KernelFault fault_of_ending(int status, const wire::Reply* signalled, const CallPlan*);

}  // namespace attestone::inline backends
