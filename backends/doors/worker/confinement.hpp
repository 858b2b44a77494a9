// SPDX-License-Identifier: Apache-2.0
// Taking from a process what an outside kernel has no use for.
#pragma once

#include <sys/types.h>

namespace attestone::worker {

/// Forks. Where the system permits it, the child is the first of a world of processes of its own, with its own /proc:
/// it sees no others, and all of them end with it. Returns as fork does; `own_processes` is set in the child. The
/// parent only waits for the child, and ends as it does; where the system does not permit it, the parent goes on
/// itself, with 0.
pid_t fork_into_own_processes(bool& own_processes);

/// From now on no program gives this process, or its children, more privileges than it has; and root keeps only those
/// that concern files, memory and scheduling. Whether the system took it.
bool drop_privileges();

/// Closes every descriptor from `first` on. Whether that was done.
bool close_descriptors_from(int first);

}  // namespace attestone::worker
