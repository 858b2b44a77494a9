// SPDX-License-Identifier: Apache-2.0
// Asking for a kernel by its name, and on its devices.
#include "conformance/run/candidate.hpp"

#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

std::string KernelOption::text() const { return kernel + (mesh.empty() ? "" : " --mesh=" + mesh) + rest; }

KernelOption KernelOption::on(const std::string& other_mesh) const {
  return {kernel, mesh.empty() || other_mesh.empty() ? mesh : other_mesh, rest};
}

KernelOption Candidate::option_of(const Kernel& kernel) { return "--kernel=" + quoted(kernel.name()); }

}  // namespace attestone::inline conformance
