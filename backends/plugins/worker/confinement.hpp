// SPDX-License-Identifier: Apache-2.0
// Taking from a process what an outside kernel has no use for.
#pragma once

#include "backends/plugins/protocol/wire.hpp"

namespace attestone::inline backends::worker {

/// Forks. Where the system permits it, the child is the first of a world of processes of its own, with its own /proc:
/// it sees no others, and all of them end with it, and so do objects of System V and message queues; settings of the
/// whole system are read-only; the call returns in the child, with nothing refused, and the parent
/// only waits for the child and ends as it does. Where the system refuses a step, the call returns in the parent and
/// says which.
wire::Refusal fork_into_own_processes();

/// From now on no program gives this process, or its children, more privileges than it has; and root keeps only those
/// that concern files, memory and scheduling. Whether the system took it.
bool drop_privileges();

/// True if this process cannot write the settings of the whole system: /proc/sys, its log.
bool settings_are_closed();

/// Closes every descriptor from `first` on. Whether that was done.
bool close_descriptors_from(int first);

}  // namespace attestone::inline backends::worker
