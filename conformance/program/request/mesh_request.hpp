// SPDX-License-Identifier: Apache-2.0
// The options --mesh, --local, --world, --faults and --world-seed: distributed methods, and the devices that they run
// on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/distributed/method/rank_program.hpp"
#include "conformance/program/request/world.hpp"
#include "simulate/world/mesh_kernel.hpp"

namespace attestone::inline conformance {

/// A distributed method on one of its meshes.
struct MeshedMethod {
  std::string text;  ///< as it was written: "ring:hops=all"
  std::shared_ptr<const RankProgram> program;
  Mesh mesh;
  std::string local_text;  ///< the kernel of its devices: that of --local, or the method's own
  SharedKernel local;      ///< the same kernel
};

/// Distributed methods, each on each of its meshes.
struct MeshRequest {
  WorldKind world = WorldKind::simulated;
  std::vector<MeshedMethod> methods;
  std::vector<std::string> rank_programs;  ///< lines for a shell
  std::vector<Mesh> rank_program_meshes;
  MeshEvents events;
  std::string events_text;  ///< " --faults=drop --world-seed=7"; empty if not given
  std::string local_text;   ///< " --local='dense'"; empty if not given
};

/// True if a mesh is named, or a method that runs on one.
bool asks_for_mesh(const KernelWords&);

/// Methods on the named meshes, or each on its own. UserError for words that are none, and for options that do not fit
/// together.
MeshRequest read_mesh_request(const KernelWords&, WorldKind);

/// UserError for an option that has a meaning on a mesh only.
void check_without_mesh(const KernelWords&);

}  // namespace attestone::inline conformance
