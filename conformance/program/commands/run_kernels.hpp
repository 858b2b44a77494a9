// SPDX-License-Identifier: Apache-2.0
// Which kernels `attestone run` was asked for, and the amounts that its options name.
#pragma once

#include <vector>

#include "backends/plugins/protocol/call_limits.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/run/candidate.hpp"

namespace attestone::inline conformance {

/// Seconds of an option: "60s", "5m", "1h". UserError otherwise.
double seconds_of(const std::string& option, const std::string& text);

/// What --timeout and --memory-limit permit a call. UserError for amounts that are none.
CallLimits call_limits_of(const RunCommand&);
/// The options that say so, each with a space in front.
std::string call_limits_text(const RunCommand&);

/// Loads the kernels of the command line, those from outside with the option that asks for them; at least one.
/// UserError otherwise.
std::vector<Candidate> candidates_of(const RunCommand&);

/// How many problems the kernel is judged on at the same time: as many as OpenMP has threads, if it is a published one.
/// Wrong kernels may remember what they were called with, and are called as a repro line calls them.
int problems_at_once(const Kernel&);

}  // namespace attestone::inline conformance
