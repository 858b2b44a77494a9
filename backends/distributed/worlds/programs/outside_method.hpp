// SPDX-License-Identifier: Apache-2.0
// A distributed method that is a program, started once for each rank (docs/outside_ranks.md).
#pragma once

#include <string>

#include "backends/distributed/method/rank_program.hpp"
#include "backends/kernel.hpp"
#include "backends/plugins/protocol/call_limits.hpp"

namespace attestone::inline backends {

/// The method, and what stands for the kernel of its ranks, which computes nothing: it says what the program takes.
struct OutsideMethod {
  std::shared_ptr<const RankProgram> program;
  SharedKernel local;
};

/// The method that the shell line starts, named "ranks:" and that line. Programs live as long as the method; what goes
/// wrong with one is a KernelFault of its rank. UserError if it cannot be started, or does not describe itself.
OutsideMethod outside_method(const std::string& line, const CallLimits& = {});

}  // namespace attestone::inline backends
