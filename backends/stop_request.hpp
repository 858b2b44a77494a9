// SPDX-License-Identifier: Apache-2.0
// Stopping a run from outside: a flag that everything which waits looks at.
#pragma once

namespace attestone::inline backends {

/// Thrown where a wait ends because stopping was asked for. It is no std::exception, so that whoever turns errors into
/// verdicts lets it through.
struct Stopped {};

/// Asks this process's runs to stop, once and for all. Safe in every thread and in signal handlers.
void ask_to_stop();
bool stop_is_asked();

}  // namespace attestone::inline backends
