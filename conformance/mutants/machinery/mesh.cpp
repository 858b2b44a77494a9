// SPDX-License-Identifier: Apache-2.0
// Putting changed methods on a mesh.
#include "conformance/mutants/machinery/mesh.hpp"

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "simulate/mesh_kernel.hpp"

namespace attestone {

SharedKernel mesh_mutant(const std::string& name, std::shared_ptr<const RankProgram> method) {
  const Mesh mesh({{"ring", 2}});
  return changed(std::make_shared<MeshKernel>(std::move(method), make_kernel("flash"), mesh), {.name = name});
}

SharedKernel mesh_twin() { return mesh_mutant("ring of two", make_rank_program("ring:parts=output")); }

}  // namespace attestone
