// SPDX-License-Identifier: Apache-2.0
// Reading methods, meshes and faults.
#include "conformance/program/request/mesh_request.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "backends/catalogue.hpp"
#include "conformance/program/request/named.hpp"
#include "conformance/run/kernels.hpp"
#include "conformance/run/run.hpp"

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

const RankProgramEntry& read_method(const NamedPart& part) {
  if (const RankProgramEntry* method = find_rank_program(part.text)) return *method;
  find_kernel(part.text);  // a mistake in a name is said as one
  throw UserError(fmt::format("'{}' runs on one device", part.text), part.place,
                  fmt::format("write --kernel=ring --local={}: what each device runs", part.text));
}

class MeshReader {
 public:
  MeshReader(const KernelWords& words, WorldKind world) : words_(words) {
    request_.world = world;
    if (!words.mesh.empty())
      for (const NamedPart& part : parts_of("--mesh", {&words.mesh, 1}))
        named_meshes_.push_back(read("--mesh", part, read_mesh));
  }

  MeshRequest read_all() && {
    read_events();
    if (words_.kernels.empty() && words_.rank_programs.empty())
      throw UserError("which distributed method?",
                      "add --kernel=ring, ulysses or two_dimensional: what runs on each device is its local kernel");
    if (on_processes()) check_for_mpi(words_);
    check_local();
    for (const NamedPart& part : parts_of("--kernel", words_.kernels)) add_method(part);
    request_.rank_programs = words_.rank_programs;
    if (!words_.rank_programs.empty()) request_.rank_program_meshes = meshes_or({"ring:2", "ring:3"});
    for (const MeshedMethod& method : request_.methods) check_mesh(method.mesh);
    for (const Mesh& mesh : request_.rank_program_meshes) check_mesh(mesh);
    return std::move(request_);
  }

 private:
  bool on_processes() const { return request_.world == WorldKind::mpi; }

  void read_events() {
    if (!words_.faults.empty()) {
      request_.events.faults = read("--faults", words_.faults, read_faults);
      request_.events_text += " --faults=" + words_.faults;
    }
    if (!words_.world_seed.empty()) {
      request_.events.seed = read("--world-seed", words_.world_seed, read_world_seed);
      request_.events_text += " --world-seed=" + words_.world_seed;
    }
  }

  void check_local() {
    if (words_.local.empty()) return;
    const Place place = value_of("--local", words_.local).place;
    if (words_.kernels.empty())
      throw UserError("a program that each device runs computes by itself", place, "leave --local out");
    if (!words_.plugins.empty() || !words_.programs.empty())
      throw UserError("either an outside kernel runs on each device, or that of --local", place);
    request_.local_text = " --local=" + quoted(words_.local);
  }

  void add_method(const NamedPart& part) {
    const RankProgramEntry& entry = read_method(part);
    const auto program = make_rank_program(part.text);
    const std::string local_text = words_.local.empty() ? entry.local : words_.local;
    const SharedKernel local = on_processes() ? make_kernel(local_text) : find_kernel(local_text);
    for (Mesh& mesh : meshes_of(part, entry))
      request_.methods.push_back({part.text, program, std::move(mesh), local_text, local});
  }

  /// The meshes of the command line, or that of all processes, or the method's own.
  std::vector<Mesh> meshes_of(const NamedPart& method, const RankProgramEntry& entry) const {
    if (words_.mesh.empty() && on_processes())
      if (const auto all = mesh_of_found_ranks(method.text)) return {*all};
    return meshes_or(entry.meshes);
  }

  /// The meshes of the command line, or these.
  std::vector<Mesh> meshes_or(const std::vector<std::string>& others) const {
    if (!words_.mesh.empty()) return named_meshes_;
    std::vector<Mesh> meshes;
    for (const std::string& other : others) meshes.push_back(read("--mesh", other, read_mesh));
    return meshes;
  }

  /// UserError for a mesh that has too many devices for processes, or too few for its faults.
  void check_mesh(const Mesh& mesh) const {
    if (on_processes()) return check_processes(words_, mesh);
    make_faults(request_.events.faults, Census::of(mesh.devices()), request_.events.seed);
  }

  const KernelWords& words_;
  std::vector<Mesh> named_meshes_;
  MeshRequest request_;
};

}  // namespace

bool asks_for_mesh(const KernelWords& words) {
  return !words.mesh.empty() || !words.rank_programs.empty() ||
         std::ranges::any_of(parts_of("--kernel", words.kernels),
                             [](const NamedPart& part) { return find_rank_program(part.text) != nullptr; });
}

MeshRequest read_mesh_request(const KernelWords& words, WorldKind world) { return MeshReader(words, world).read_all(); }

void check_without_mesh(const KernelWords& words) {
  const auto needs_mesh = [](const std::string& option, const std::string& value) {
    if (!value.empty())
      throw UserError(option + " has a meaning on a mesh only", value_of(option, value).place,
                      "add --mesh=ring:4 and --kernel=ring");
  };
  needs_mesh("--local", words.local);
  needs_mesh("--world", words.world);
  needs_mesh("--faults", words.faults);
  needs_mesh("--world-seed", words.world_seed);
}

}  // namespace attestone::inline conformance
