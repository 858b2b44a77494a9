// SPDX-License-Identifier: Apache-2.0
// How mpirun is asked for ranks: a line for a shell.
#pragma once

#include <filesystem>
#include <string>

#include "backends/distributed/worlds/processes/rank_job.hpp"

namespace attestone::inline backends {

/// The folder in shared memory that the line makes, and in which mpirun and the ranks write. It is the keeper's own,
/// and vanishes with it, where the keeper has processes of its own; elsewhere it remains.
std::filesystem::path folder_of_ranks(const std::string& meeting_point);

/// Starts so many ranks, which come to the meeting point.
std::string mpirun_line(const RankJobSettings&, const std::string& meeting_point);

}  // namespace attestone::inline backends
