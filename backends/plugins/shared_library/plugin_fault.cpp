// SPDX-License-Identifier: Apache-2.0
// From signals and exit statuses to reasons.
#include "backends/plugins/shared_library/plugin_fault.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include "backends/plugins/process/worker_process.hpp"

namespace attestone::inline backends {

std::optional<KernelFault> misplaced_access(const wire::Reply& signalled, const CallPlan& plan) {
  if (!signalled.among_tensors || !signalled.files_at) return std::nullopt;
  const auto at = plan.locate(signalled.address - signalled.files_at);
  if (!at) return std::nullopt;
  if (signalled.phase != wire::Phase::calling)
    return KernelFault("late-write", fmt::format("touched {} after it had returned", at->tensor));
  if (at->inside && at->input) return KernelFault("input-changed", fmt::format("wrote to {}", at->tensor));
  const std::string where = at->distance < 0 ? fmt::format("{} bytes before {}", -at->distance, at->tensor)
                                             : fmt::format("{} bytes behind the end of {}", at->distance, at->tensor);
  return KernelFault(at->input ? "out-of-bounds-read" : "out-of-bounds-write", "touched memory " + where);
}

KernelFault fault_of_ending(int status, const wire::Reply* signalled, const CallPlan* plan) {
  if (signalled && plan)
    if (const auto fault = misplaced_access(*signalled, *plan)) return *fault;
  if (signalled && signalled->among_tensors)
    return {"late-write", "touched a tensor of another call: " + ending_text(status)};
  if (WIFEXITED(status)) return {"exited", "ended its process: " + ending_text(status)};
  const bool late = signalled && signalled->phase == wire::Phase::idle;
  return {"crashed", (late ? "after it had returned, ended by " : "ended by ") + ending_text(status)};
}

}  // namespace attestone::inline backends
