// SPDX-License-Identifier: Apache-2.0
// The option --world: devices that do not exist, or real processes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/distributed/sharding/mesh.hpp"
#include "conformance/program/request/option_words.hpp"

namespace attestone::inline conformance {

/// The kinds of devices that ranks can run on.
enum class WorldKind { simulated, mpi };

/// A world by name.
struct WorldWord {
  std::string name, meaning;
  WorldKind kind = WorldKind::simulated;
};
const std::vector<WorldWord>& worlds();

/// The world of --world; simulated without. UserError for a world that there is not.
WorldKind read_world(const KernelWords&);

/// UserError for options that do not go with real processes, and where there is no MPI.
void check_for_mpi(const KernelWords&);

/// UserError for more devices than there can be processes.
void check_processes(const KernelWords&, const Mesh&);

/// The mesh of a method where nobody names one: all ranks of the user's mpirun along the method's own axis; nothing
/// without.
std::optional<Mesh> mesh_of_found_ranks(const std::string& method);

/// True in a rank of a user's mpirun that does not judge, but answers rank 0.
bool serves_another_rank(WorldKind);

}  // namespace attestone::inline conformance
