// SPDX-License-Identifier: Apache-2.0
// Reading meshes and faults, and putting kernels on them.
#include "conformance/program/commands/mesh_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "conformance/program/commands/named.hpp"
#include "conformance/run/kernels.hpp"
#include "conformance/run/run.hpp"
#include "simulate/mesh_kernel.hpp"

namespace attestone {
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

template <class Read>
auto read(const std::string& option, const std::string& value, Read reader) {
  const NamedPart part = value_of(option, value);
  Scanner in(part.place.text, part.place.begin);
  auto result = reader(in);
  if (!in.done()) in.fail(in.position(), "this does not belong to " + option);
  return result;
}

std::string options_of(const RunCommand& command) {
  std::string options = " --mesh=" + command.mesh;
  if (!command.faults.empty()) options += " --faults=" + command.faults;
  if (!command.world_seed.empty()) options += " --world-seed=" + command.world_seed;
  return options;
}

/// The kernels of the devices, and how a command line asks for each.
std::vector<Candidate> local_kernels(const RunCommand& command, const std::vector<Candidate>& outside) {
  if (!outside.empty() && !command.local.empty())
    throw UserError("either an outside kernel runs on each device, or that of --local",
                    value_of("--local", command.local).place);
  if (!outside.empty()) return outside;
  if (command.local.empty()) return {Candidate(find_kernel("flash"), "")};
  return {Candidate(find_kernel(command.local), "--local=" + quoted(command.local))};
}

std::shared_ptr<const RankProgram> method_of(const NamedPart& part) {
  if (Registry<RankProgramEntry>::find(part.text.substr(0, part.text.find(':')))) return make_rank_program(part.text);
  find_kernel(part.text);  // a mistake in a name is said as one
  throw UserError(fmt::format("'{}' runs on one device", part.text), part.place,
                  fmt::format("write --kernel=ring --local={}: what each device runs", part.text));
}

}  // namespace

std::vector<Candidate> on_mesh(const RunCommand& command, const std::vector<Candidate>& outside) {
  const Mesh mesh = read("--mesh", command.mesh, read_mesh);
  MeshEvents events;
  if (!command.faults.empty()) events.faults = read("--faults", command.faults, read_faults);
  if (!command.world_seed.empty()) events.seed = read("--world-seed", command.world_seed, read_world_seed);
  make_faults(events.faults, mesh.devices(), events.seed);  // a mistake shows before anything is judged
  if (command.kernels.empty())
    throw UserError("which distributed method?",
                    "add --kernel=ring, ulysses or two_dimensional: what runs on each device is its local kernel");
  std::vector<Candidate> candidates;
  for (const Candidate& local : local_kernels(command, outside))
    for (const NamedPart& part : parts_of("--kernel", command.kernels)) {
      const std::string own = local.option.empty() ? "" : " " + local.option;
      candidates.emplace_back(std::make_shared<MeshKernel>(method_of(part), local.kernel, mesh, events),
                              "--kernel=" + quoted(part.text) + options_of(command) + own);
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
  needs_mesh("--faults", command.faults);
  needs_mesh("--world-seed", command.world_seed);
  for (const NamedPart& part : parts_of("--kernel", command.kernels))
    if (Registry<RankProgramEntry>::find(part.text.substr(0, part.text.find(':'))))
      throw UserError(fmt::format("'{}' runs on several devices", part.text), part.place,
                      "add --mesh=ring:4, --mesh=ulysses:2 or --mesh=ulysses:2+ring:2");
}

}  // namespace attestone
