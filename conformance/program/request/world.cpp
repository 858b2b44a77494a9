// SPDX-License-Identifier: Apache-2.0
// Processes that can be the ranks: those of an mpirun of our own, or of the user's.
#include "conformance/program/request/world.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "backends/distributed/method/rank_program.hpp"
#include "backends/distributed/worlds/processes/found_crew.hpp"
#include "backends/distributed/worlds/processes/rank_job.hpp"
#include "conformance/program/request/named.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index most_processes = 256;

NamedPart world_of(const KernelWords& words) { return value_of("--world", words.world); }

[[noreturn]] void refuse(const std::string& why, const NamedPart& part, const std::string& hint = "") {
  throw UserError(why, part.place, hint);
}

void check_options(const KernelWords& words) {
  const auto refuse_option = [](const std::string& option, const std::string& value, const char* why) {
    if (!value.empty()) refuse(why, value_of(option, value), "leave it out, or leave out --world=mpi");
  };
  refuse_option("--faults", words.faults, "nothing goes wrong on purpose between real processes");
  refuse_option("--world-seed", words.world_seed, "no seed decides the order of events on real processes");
  for (const auto& [option, values] : {std::pair{"--plugin", words.plugins}, std::pair{"--program", words.programs},
                                       std::pair{"--rank-program", words.rank_programs}})
    if (!values.empty())
      refuse_option(option, values.front(), "outside kernels run on simulated devices, not on real processes");
  if (Registry<Mutant>::find(words.local.substr(0, words.local.find(':'))))
    refuse_option("--local", words.local, "mutants run on simulated devices, not on real processes");
}

void check_machine(const KernelWords& words) {
  if (rank_program_path().empty() || mpi_module_path().empty())
    refuse("this attestone was built without MPI", world_of(words),
           "install libopenmpi-dev and openmpi-bin, and build it again");
  if (!found_rank() && !has_mpirun()) refuse("this machine has no mpirun", world_of(words), "install openmpi-bin");
}

void check_size(const KernelWords& words, const Mesh& mesh, index most, const char* why) {
  if (mesh.devices() <= most) return;
  const NamedPart part = words.mesh.empty() ? NamedPart{mesh.text(), {mesh.text(), 0, mesh.text().size()}}
                                            : value_of("--mesh", words.mesh);
  refuse(fmt::format("{} has {} devices, and {} {}", mesh.text(), mesh.devices(), why, most), part);
}

}  // namespace

const std::vector<WorldWord>& worlds() {
  static const std::vector<WorldWord> all{
      {"simulated", "devices that do not exist, in one process: any order of events", WorldKind::simulated},
      {"mpi", "real processes that talk over MPI, started by mpirun", WorldKind::mpi}};
  return all;
}

WorldKind read_world(const KernelWords& words) {
  if (words.world.empty()) return WorldKind::simulated;
  std::vector<std::string> known;
  for (const WorldWord& world : worlds()) {
    if (world.name == words.world) return world.kind;
    known.push_back(world.name);
  }
  refuse(fmt::format("'{}' is not a world", words.world), world_of(words), did_you_mean(words.world, known));
}

void check_for_mpi(const KernelWords& words) {
  check_options(words);
  check_machine(words);
}

void check_processes(const KernelWords& words, const Mesh& mesh) {
  if (const auto found = found_rank()) check_size(words, mesh, found->ranks, "the ranks that mpirun started are");
  check_size(words, mesh, most_processes, "the most that --world=mpi starts is");
}

std::optional<Mesh> mesh_of_found_ranks(const std::string& method) {
  const auto found = found_rank();
  if (!found) return std::nullopt;
  const auto axes = make_rank_program(method)->axes();
  const bool has_ring = std::ranges::find(axes, "ring") != axes.end();
  return Mesh({{std::string(has_ring ? "ring" : axes.front()), found->ranks}});
}

bool serves_another_rank(WorldKind world) {
  const auto found = found_rank();
  return world == WorldKind::mpi && found && found->rank != 0;
}

}  // namespace attestone::inline conformance
