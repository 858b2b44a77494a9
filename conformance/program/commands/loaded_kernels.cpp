// SPDX-License-Identifier: Apache-2.0
// Loading kernels, and putting them on their devices.
#include "conformance/program/commands/loaded_kernels.hpp"

#include <algorithm>
#include <omp.h>

#include "backends/distributed/worlds/processes/found_crew.hpp"
#include "backends/distributed/worlds/processes/mpi_kernel.hpp"
#include "backends/distributed/worlds/processes/started_crew.hpp"
#include "backends/distributed/worlds/programs/outside_method.hpp"
#include "backends/plugins/program/program_kernel.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "conformance/run/run.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Candidate> outside_kernels(const KernelRequest& request) {
  const AskedLimits& asked = request.limits;
  std::vector<Candidate> candidates;
  for (const std::string& path : request.plugins)
    candidates.emplace_back(plugin_kernel(path, asked.limits), "--plugin=" + quoted(path) + asked.text());
  for (const std::string& line : request.programs)
    candidates.emplace_back(program_kernel(line, asked.limits), "--program=" + quoted(line) + asked.text());
  return candidates;
}

/// Programs that are methods.
std::vector<Candidate> outside_methods(const MeshRequest& mesh, const AskedLimits& asked) {
  std::vector<Candidate> candidates;
  for (const std::string& line : mesh.rank_programs) {
    const OutsideMethod method = outside_method(line, asked.limits);
    for (const Mesh& each : mesh.rank_program_meshes)
      candidates.emplace_back(
          std::make_shared<MeshKernel>(method.program, method.local, each, mesh.events),
          KernelOption("--rank-program=" + quoted(line), each.text(), mesh.events_text + asked.text()));
  }
  return candidates;
}

/// The methods with each outside kernel as that of their devices, or with their own where there is none.
std::vector<Candidate> on_simulated_devices(const MeshRequest& mesh, const std::vector<Candidate>& outside) {
  std::vector<Candidate> candidates;
  for (const MeshedMethod& method : mesh.methods) {
    const auto add = [&](const SharedKernel& local, const std::string& local_text) {
      candidates.emplace_back(
          std::make_shared<MeshKernel>(method.program, local, method.mesh, mesh.events),
          KernelOption("--kernel=" + quoted(method.text), method.mesh.text(), mesh.events_text + local_text));
    };
    for (const Candidate& local : outside) add(local.kernel, " " + local.option.text());
    if (outside.empty()) add(method.local, mesh.local_text);
  }
  return candidates;
}

std::vector<Candidate> on_processes(const MeshRequest& mesh, const AskedLimits& asked) {
  index most = 1;
  for (const MeshedMethod& method : mesh.methods) most = std::max(most, method.mesh.devices());
  const std::shared_ptr<RankCrew> crew =
      found_rank() ? found_crew() : std::make_shared<StartedCrew>(RankJobSettings{most, asked.limits});
  std::vector<Candidate> candidates;
  for (const MeshedMethod& method : mesh.methods)
    candidates.emplace_back(std::make_shared<MpiKernel>(method.text, method.local_text, method.mesh, crew),
                            KernelOption("--kernel=" + quoted(method.text), method.mesh.text(),
                                         " --world=mpi" + asked.timeout + mesh.local_text));
  return candidates;
}

std::vector<Candidate> without_declaration(const KernelRequest& request) {
  if (request.mesh && request.mesh->world == WorldKind::mpi) return on_processes(*request.mesh, request.limits);
  std::vector<Candidate> first = request.mesh ? outside_methods(*request.mesh, request.limits) : request.named;
  const std::vector<Candidate> outside = outside_kernels(request);
  for (const Candidate& more : request.mesh ? on_simulated_devices(*request.mesh, outside) : outside)
    first.push_back(more);
  return first;
}

}  // namespace

std::vector<Candidate> load_kernels(const KernelRequest& request) {
  std::vector<Candidate> candidates = without_declaration(request);
  if (request.declared)
    for (Candidate& candidate : candidates) candidate = declaring(candidate, *request.declared);
  return candidates;
}

int problems_at_once(const Kernel& kernel) {
  return kernel.fingerprint() || Registry<Mutant>::find(kernel.name()) ? 1 : omp_get_max_threads();
}

}  // namespace attestone::inline conformance
