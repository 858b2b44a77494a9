// SPDX-License-Identifier: Apache-2.0
// The option --world: devices that do not exist, or real processes.
#pragma once

#include <optional>

#include "conformance/program/commands.hpp"
#include "conformance/program/commands/mesh_options.hpp"

namespace attestone::inline conformance {

/// On what ranks can run.
struct WorldWord {
  std::string name, meaning;
};
const std::vector<WorldWord>& worlds();

/// Whether --world=mpi. UserError for a world that there is not, for options that do not go with it, and where there is
/// no MPI.
bool asks_for_mpi(const RunCommand&);

/// The mesh of a method where nobody names one: all ranks of the user's mpirun along the method's own axis; nothing
/// without.
std::optional<Mesh> mesh_of_found_ranks(const std::string& method);

/// The methods on real processes. UserError for more devices than there can be processes.
std::vector<Candidate> on_processes(const RunCommand&, const std::vector<MeshedMethod>&);

/// In a rank of a user's mpirun that does not judge: answers rank 0 until that is done, and is true.
bool served_as_rank(const RunCommand&);

}  // namespace attestone::inline conformance
