// SPDX-License-Identifier: Apache-2.0
// The words of --mesh, --faults and --world-seed: read like every other option, and refused while no kernel runs on a
// mesh.
#pragma once

#include <span>
#include <string_view>

#include "conformance/program/commands.hpp"

namespace attestone {

/// An axis of a mesh, or a fault, with its meaning.
struct MeshWord {
  std::string_view name, meaning;
};
std::span<const MeshWord> mesh_axes();
std::span<const MeshWord> mesh_faults();

/// UserError for whatever the three options say: for a mistake in it, or for what this version cannot run.
void refuse_mesh(const RunCommand&);

}  // namespace attestone
