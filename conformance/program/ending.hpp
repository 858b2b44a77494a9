// SPDX-License-Identifier: Apache-2.0
// How the program ends: its exit status, its one message, and results that were really written.
#pragma once

#include <functional>
#include <string>

#include "conformance/run/exit_status.hpp"

namespace attestone::inline conformance {

/// Runs a command. Its status; or that of what it threw, with one message on standard error: `usage` for a UserError,
/// `internal_error` for a SystemFailure, for what the machine denied otherwise, and for our own mistakes.
///
/// What stands on standard output must have reached it: where it is closed, full or beyond a limit, that is a
/// SystemFailure. Only a reader that went away (`| head -1`) is no failure: whatever it left unread was not wanted.
ExitStatus ended(const std::function<ExitStatus()>& command);

/// From now on SIGINT, SIGTERM and SIGHUP end the process with status `cut_short` and one message: for work of which a
/// half is worth nothing, and which leaves nothing behind.
void end_when_interrupted();

/// Writes to standard error, where anybody reads it.
void say(const std::string& text);

}  // namespace attestone::inline conformance
