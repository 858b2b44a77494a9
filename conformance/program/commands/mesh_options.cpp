// SPDX-License-Identifier: Apache-2.0
// Reading meshes and faults, and putting kernels on them.
#include "conformance/program/commands/mesh_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "backends/distributed/worlds/programs/outside_method.hpp"
#include "conformance/program/commands/mpi_options.hpp"
#include "conformance/program/commands/named.hpp"
#include "conformance/program/commands/run_kernels.hpp"
#include "conformance/run/kernels.hpp"
#include "conformance/run/run.hpp"
#include "simulate/world/mesh_kernel.hpp"

namespace attestone::inline conformance {
namespace {

/// name:argument+name
std::vector<FaultCall> read_faults(Scanner& in) {
  std::vector<FaultCall> faults;
  do {
    const std::size_t begin = in.position();
    const std::string name = in.word("a fault");
    if (!Registry<FaultRule>::find(name))
      in.fail(begin, fmt::format("'{}' is not a fault", name), did_you_mean(name, Registry<FaultRule>::names()));
    if (std::ranges::find(faults, name, &FaultCall::name) != faults.end())
      in.fail(begin, fmt::format("'{}' is given twice", name));
    faults.push_back({name, {}});
    while (in.take(':')) {
      faults.back().arguments.push_back(in.until(":+"));
      if (faults.back().arguments.back().empty()) in.fail(in.position(), "expected an argument of the fault");
    }
  } while (in.take('+'));
  return faults;
}

std::uint64_t read_world_seed(Scanner& in) { return in.unsigned_integer("the seed"); }

/// All of a part of an option.
template <class Read>
auto read(const std::string& option, const NamedPart& part, Read reader) {
  const std::string text = part.place.text.substr(0, part.place.begin + part.text.size());
  Scanner in(text, part.place.begin);
  auto result = reader(in);
  if (!in.done()) in.fail(in.position(), "this does not belong to " + option);
  return result;
}

template <class Read>
auto read(const std::string& option, const std::string& value, Read reader) {
  return read(option, value_of(option, value), reader);
}

std::string options_of(const RunCommand& command) {
  std::string options;
  if (!command.faults.empty()) options += " --faults=" + command.faults;
  if (!command.world_seed.empty()) options += " --world-seed=" + command.world_seed;
  return options;
}

const RankProgramEntry& method_of(const NamedPart& part) {
  if (const RankProgramEntry* method = find_rank_program(part.text)) return *method;
  find_kernel(part.text);  // a mistake in a name is said as one
  throw UserError(fmt::format("'{}' runs on one device", part.text), part.place,
                  fmt::format("write --kernel=ring --local={}: what each device runs", part.text));
}

/// Those of the command line, or these.
std::vector<Mesh> meshes_or(const RunCommand& command, const std::vector<std::string>& others) {
  std::vector<Mesh> meshes;
  if (!command.mesh.empty())
    for (const NamedPart& part : parts_of("--mesh", {&command.mesh, 1}))
      meshes.push_back(read("--mesh", part, read_mesh));
  else
    for (const std::string& other : others) meshes.push_back(read("--mesh", other, read_mesh));
  return meshes;
}

/// Those of the command line, or that of all processes, or the method's own.
std::vector<Mesh> meshes_of(const RunCommand& command, const NamedPart& method) {
  const RankProgramEntry& entry = method_of(method);
  if (command.mesh.empty() && asks_for_mpi(command))
    if (const auto all = mesh_of_found_ranks(method.text)) return {*all};
  return meshes_or(command, entry.meshes);
}

std::vector<MeshedMethod> meshed_methods(const RunCommand& command) {
  if (command.kernels.empty() && command.rank_programs.empty())
    throw UserError("which distributed method?",
                    "add --kernel=ring, ulysses or two_dimensional: what runs on each device is its local kernel");
  std::vector<MeshedMethod> all;
  for (const NamedPart& part : parts_of("--kernel", command.kernels))
    for (Mesh& mesh : meshes_of(command, part)) {
      const std::string option = fmt::format("--kernel={} --mesh={}", quoted(part.text), mesh.text());
      all.push_back({part.text, std::move(mesh), option, method_of(part).local});
    }
  return all;
}

/// The kernels of a method's devices, and how a command line asks for each.
std::vector<Candidate> local_kernels(const RunCommand& command, const std::vector<Candidate>& outside,
                                     const MeshedMethod& method) {
  if (!outside.empty()) return outside;
  if (command.local.empty()) return {Candidate(find_kernel(method.local), "")};
  return {Candidate(find_kernel(command.local), "--local=" + quoted(command.local))};
}

/// Programs that are methods, on small rings if no mesh is named.
std::vector<Candidate> outside_methods(const RunCommand& command, const MeshEvents& events) {
  if (command.kernels.empty() && !command.rank_programs.empty() && !command.local.empty())
    throw UserError("a program that each device runs computes by itself", value_of("--local", command.local).place,
                    "leave --local out");
  std::vector<Candidate> candidates;
  for (const std::string& line : command.rank_programs) {
    const OutsideMethod method = outside_method(line, call_limits_of(command));
    for (Mesh& mesh : meshes_or(command, {"ring:2", "ring:3"})) {
      make_faults(events.faults, mesh.devices(), events.seed);  // a mistake shows before anything is judged
      const std::string option = fmt::format("--rank-program={} --mesh={}{}{}", quoted(line), mesh.text(),
                                             options_of(command), call_limits_text(command));
      candidates.emplace_back(std::make_shared<MeshKernel>(method.program, method.local, std::move(mesh), events),
                              option);
    }
  }
  return candidates;
}

}  // namespace

bool asks_for_mesh(const RunCommand& command) {
  return !command.mesh.empty() || !command.rank_programs.empty() ||
         std::ranges::any_of(parts_of("--kernel", command.kernels),
                             [](const NamedPart& part) { return find_rank_program(part.text) != nullptr; });
}

std::vector<Candidate> on_meshes(const RunCommand& command, const std::vector<Candidate>& outside) {
  MeshEvents events;
  if (!command.faults.empty()) events.faults = read("--faults", command.faults, read_faults);
  if (!command.world_seed.empty()) events.seed = read("--world-seed", command.world_seed, read_world_seed);
  const std::vector<MeshedMethod> methods = meshed_methods(command);
  if (asks_for_mpi(command)) return on_processes(command, methods);
  std::vector<Candidate> candidates = outside_methods(command, events);
  if (!outside.empty() && !command.local.empty())
    throw UserError("either an outside kernel runs on each device, or that of --local",
                    value_of("--local", command.local).place);
  for (const MeshedMethod& method : methods) {
    make_faults(events.faults, method.mesh.devices(), events.seed);  // a mistake shows before anything is judged
    for (const Candidate& local : local_kernels(command, outside, method)) {
      const std::string own = local.option.empty() ? "" : " " + local.option;
      candidates.emplace_back(
          std::make_shared<MeshKernel>(make_rank_program(method.text), local.kernel, method.mesh, events),
          method.option + options_of(command) + own);
    }
  }
  return candidates;
}

void check_without_mesh(const RunCommand& command) {
  const auto needs_mesh = [](const std::string& option, const std::string& value) {
    if (!value.empty())
      throw UserError(option + " has a meaning on a mesh only", value_of(option, value).place,
                      "add --mesh=ring:4 and --kernel=ring");
  };
  needs_mesh("--local", command.local);
  needs_mesh("--world", command.world);
  needs_mesh("--faults", command.faults);
  needs_mesh("--world-seed", command.world_seed);
}

}  // namespace attestone::inline conformance
