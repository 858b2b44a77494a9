// SPDX-License-Identifier: Apache-2.0
// The options --mesh, --local, --faults and --world-seed: kernels on devices that do not exist.
#pragma once

#include <optional>

#include "conformance/program/commands.hpp"
#include "conformance/run/candidate.hpp"

namespace attestone {

/// The named distributed methods on the mesh, each with each of these as the kernel of its devices; with `local` empty,
/// with the kernel of --local, or flash. UserError for options that do not fit together.
std::vector<Candidate> on_mesh(const RunCommand&, const std::vector<Candidate>& local);

/// UserError for an option that has a meaning on a mesh only.
void check_without_mesh(const RunCommand&);

}  // namespace attestone
