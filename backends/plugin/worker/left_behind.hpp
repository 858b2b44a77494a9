// SPDX-License-Identifier: Apache-2.0
// What a kernel leaves behind when it returns: processes, and threads that go on working.
#pragma once

#include <sys/types.h>

namespace attestone::worker {

/// Whether a child of this process lives; children that have ended are buried.
bool has_living_child();
/// Whether there are threads beside the caller's.
bool has_other_threads();
/// Whether another thread still computes when this much time has passed. Threads of a pool that wait do not.
bool threads_work_for(int milliseconds);
/// Kills every descendant of this process, which must be their reaper, and waits for them.
void kill_descendants();

}  // namespace attestone::worker
