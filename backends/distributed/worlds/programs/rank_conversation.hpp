// SPDX-License-Identifier: Apache-2.0
// One call of a rank's program: what it asks of its peers on the way to its answer is carried by the world.
#pragma once

#include "backends/distributed/rank/rank.hpp"
#include "backends/distributed/worlds/programs/rank_workers.hpp"

namespace attestone::inline backends {

/// Sends the call, does what the program asks for (begin, send, receive, wait), and answers its answer. KernelRefusal
/// if it refuses, KernelFault for what is none of these; the process is ended then, as it is when the task is destroyed
/// before its end.
Task<Safetensors> converse(Rank&, RankWorkers&, Frame call);

}  // namespace attestone::inline backends
