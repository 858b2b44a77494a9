// SPDX-License-Identifier: Apache-2.0
// Putting changed methods on a mesh.
#include "mutants/hosts/mesh.hpp"

#include <fmt/format.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "simulate/world/mesh_kernel.hpp"

namespace attestone::inline mutants {

SharedKernel mesh_mutant(const std::string& name, std::shared_ptr<const RankProgram> method, std::string_view mesh) {
  Scanner in(mesh);
  return changed(std::make_shared<MeshKernel>(std::move(method), make_kernel("flash"), read_mesh(in)), {.name = name});
}

SharedKernel mesh_twin(const OnMesh& right) {
  return mesh_mutant(fmt::format("{} on {}", right.method, right.mesh), make_rank_program(right.method), right.mesh);
}

}  // namespace attestone::inline mutants
