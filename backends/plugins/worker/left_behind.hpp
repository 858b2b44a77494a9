// SPDX-License-Identifier: Apache-2.0
// Processes that a kernel leaves behind: every process that descends from its keeper.
#pragma once

namespace attestone::inline backends::worker {

/// Kills every descendant of this process, which must be their reaper, and waits for them; or leaves that to the
/// system, where this process is the first of a PID namespace and about to end.
void kill_descendants();

}  // namespace attestone::inline backends::worker
