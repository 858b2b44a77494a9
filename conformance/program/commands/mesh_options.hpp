// SPDX-License-Identifier: Apache-2.0
// The options --mesh, --local, --faults and --world-seed: distributed methods, and the devices that they run on.
#pragma once

#include <optional>

#include "backends/distributed/sharding/mesh.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/run/candidate.hpp"

namespace attestone::inline conformance {

/// A distributed method on one of its meshes, and how a command line asks for both: "--kernel='ring' --mesh=ring:2".
struct MeshedMethod {
  std::string text;
  Mesh mesh;
  std::string option;
  std::string local;  ///< the kernel of its devices where nobody names another
};

/// Whether a mesh is named, or a method that runs on one.
bool asks_for_mesh(const RunCommand&);

/// The named distributed methods on the named meshes, or each on its own, with each of these as the kernel of its
/// devices; with `local` empty, with the kernel of --local, or the method's own. UserError for options that do not fit
/// together.
std::vector<Candidate> on_meshes(const RunCommand&, const std::vector<Candidate>& local);

/// UserError for an option that has a meaning on a mesh only.
void check_without_mesh(const RunCommand&);

}  // namespace attestone::inline conformance
