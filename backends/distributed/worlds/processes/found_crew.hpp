// SPDX-License-Identifier: Apache-2.0
// Ranks that a user's own mpirun has started, this process among them: the module that speaks MPI is loaded here.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/distributed/worlds/processes/rank_crew.hpp"

namespace attestone::inline backends {

/// The numbers that mpirun tells a process that it starts.
struct FoundRank {
  index rank = 0, ranks = 1;
};
/// The rank of this process; nothing if no mpirun of Open MPI has started it.
std::optional<FoundRank> found_rank();

/// The module, beside the library; empty if attestone was built without MPI.
std::string mpi_module_path();

/// The crew as rank 0 sees it, which judges and is a rank as well. A mistake of a rank's program ends all processes,
/// with a message: nobody stands outside. SystemFailure if the module cannot be loaded.
std::shared_ptr<RankCrew> found_crew();

/// Runs on all other ranks: answers calls of rank 0 until it has no more. SystemFailure as above.
void serve_found_crew();

/// The module's functions, under these names without a namespace.
extern "C" {
RankCrew* attestone_mpi_crew();
void attestone_mpi_serve();
}

}  // namespace attestone::inline backends
