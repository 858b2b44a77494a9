// SPDX-License-Identifier: Apache-2.0
// How mpirun is asked for ranks: a line for a shell.
#pragma once

#include <string>

#include "backends/distributed/worlds/processes/rank_job.hpp"

namespace attestone::inline backends {

/// Starts so many ranks, which come to the meeting point.
std::string mpirun_line(const RankJobSettings&, const std::string& meeting_point);

}  // namespace attestone::inline backends
