// SPDX-License-Identifier: Apache-2.0
// Which processes are the ranks: those of an mpirun of our own, or of the user's.
#include "conformance/program/commands/mpi_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "backends/distributed/worlds/processes/found_crew.hpp"
#include "backends/distributed/worlds/processes/mpi_kernel.hpp"
#include "backends/distributed/worlds/processes/started_crew.hpp"
#include "conformance/program/commands/named.hpp"
#include "conformance/program/commands/run_kernels.hpp"
#include "conformance/run/run.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index most_processes = 256;

NamedPart world_of(const RunCommand& command) { return value_of("--world", command.world); }

[[noreturn]] void refuse(const std::string& why, const NamedPart& part, const std::string& hint = "") {
  throw UserError(why, part.place, hint);
}

void check_options(const RunCommand& command) {
  const auto refuse_option = [](const std::string& option, const std::string& value, const char* why) {
    if (!value.empty()) refuse(why, value_of(option, value), "leave it out, or leave out --world=mpi");
  };
  refuse_option("--faults", command.faults, "nothing goes wrong on purpose between real processes");
  refuse_option("--world-seed", command.world_seed, "no seed decides the order of events on real processes");
  for (const auto& [option, values] : {std::pair{"--plugin", command.plugins}, std::pair{"--program", command.programs},
                                       std::pair{"--rank-program", command.rank_programs}})
    if (!values.empty())
      refuse_option(option, values.front(), "outside kernels run on simulated devices, not on real processes");
  if (Registry<Mutant>::find(command.local.substr(0, command.local.find(':'))))
    refuse_option("--local", command.local, "mutants run on simulated devices, not on real processes");
}

void check_machine(const RunCommand& command) {
  if (rank_program_path().empty() || mpi_module_path().empty())
    refuse("this attestone was built without MPI", world_of(command),
           "install libopenmpi-dev and openmpi-bin, and build it again");
  if (!found_rank() && !has_mpirun()) refuse("this machine has no mpirun", world_of(command), "install openmpi-bin");
}

/// The mesh as the command line names it.
NamedPart mesh_part(const RunCommand& command, const Mesh& mesh) {
  return command.mesh.empty() ? NamedPart{mesh.text(), {mesh.text(), 0, mesh.text().size()}}
                              : value_of("--mesh", command.mesh);
}

void check_size(const RunCommand& command, const Mesh& mesh, index most, const char* why) {
  if (mesh.devices() <= most) return;
  refuse(fmt::format("{} has {} devices, and {} {}", mesh.text(), mesh.devices(), why, most), mesh_part(command, mesh));
}

}  // namespace

const std::vector<WorldWord>& worlds() {
  static const std::vector<WorldWord> all{
      {"simulated", "devices that do not exist, in one process: any order of events"},
      {"mpi", "real processes that talk over MPI, started by mpirun"}};
  return all;
}

bool asks_for_mpi(const RunCommand& command) {
  std::vector<std::string> known;
  for (const WorldWord& world : worlds()) known.push_back(world.name);
  if (command.world.empty() || command.world == known.front()) return false;
  if (std::ranges::find(known, command.world) == known.end())
    refuse(fmt::format("'{}' is not a world", command.world), world_of(command), did_you_mean(command.world, known));
  check_options(command);
  check_machine(command);
  return true;
}

std::optional<Mesh> mesh_of_found_ranks(const std::string& method) {
  const auto found = found_rank();
  if (!found) return std::nullopt;
  const auto axes = make_rank_program(method)->axes();
  const bool has_ring = std::ranges::find(axes, "ring") != axes.end();
  return Mesh({{std::string(has_ring ? "ring" : axes.front()), found->ranks}});
}

std::vector<Candidate> on_processes(const RunCommand& command, const std::vector<MeshedMethod>& methods) {
  const auto found = found_rank();
  index most = 1;
  for (const MeshedMethod& method : methods) {
    if (found) check_size(command, method.mesh, found->ranks, "the ranks that mpirun started are");
    check_size(command, method.mesh, most_processes, "the most that --world=mpi starts is");
    most = std::max(most, method.mesh.devices());
  }
  std::shared_ptr<RankCrew> crew;
  if (found)
    crew = found_crew();
  else
    crew = std::make_shared<StartedCrew>(RankJobSettings{most, call_limits_of(command)});
  const std::string timeout = command.timeout.empty() ? "" : " --timeout=" + command.timeout;
  std::vector<Candidate> candidates;
  for (const MeshedMethod& method : methods)
    candidates.emplace_back(
        std::make_shared<MpiKernel>(method.text, command.local.empty() ? method.local : command.local, method.mesh,
                                    crew),
        method.option + " --world=mpi" + timeout + (command.local.empty() ? "" : " --local=" + quoted(command.local)));
  return candidates;
}

bool served_as_rank(const RunCommand& command) {
  const auto found = found_rank();
  if (!found || found->rank == 0 || !asks_for_mpi(command)) return false;
  serve_found_crew();
  return true;
}

}  // namespace attestone::inline conformance
