// SPDX-License-Identifier: Apache-2.0
// Reading meshes and faults.
#include "conformance/program/commands/mesh_options.hpp"

#include <algorithm>
#include <array>

#include "conformance/program/commands/named.hpp"
#include "reference/scanner.hpp"

namespace attestone {
namespace {

/// One of the words, none twice.
std::string read_word(Scanner& in, const char* kind, std::span<const MeshWord> all, std::vector<std::string>& given) {
  const std::size_t begin = in.position();
  std::vector<std::string> known;
  for (const MeshWord& word : all) known.emplace_back(word.name);
  std::string name = in.word(kind);
  if (std::ranges::find(known, name) == known.end())
    in.fail(begin, fmt::format("'{}' is not {}", name, kind), did_you_mean(name, known));
  if (std::ranges::find(given, name) != given.end()) in.fail(begin, fmt::format("'{}' is given twice", name));
  given.push_back(name);
  return name;
}

/// axis:n+axis:n, the first axis innermost.
void read_mesh(Scanner& in) {
  std::vector<std::string> given;
  do {
    read_word(in, "an axis", mesh_axes(), given);
    in.expect(':', "between an axis and how many devices it has");
    in.integer("the number of devices", 1);
  } while (in.take('+'));
}

/// name:argument+name
void read_faults(Scanner& in) {
  std::vector<std::string> given;
  do {
    read_word(in, "a fault", mesh_faults(), given);
    while (in.take(':'))
      if (in.until(":+").empty()) in.fail(in.position(), "expected an argument of the fault");
  } while (in.take('+'));
}

void read_world_seed(Scanner& in) { in.unsigned_integer("the seed"); }

void refuse(const std::string& option, const std::string& value, void (*read)(Scanner&)) {
  if (value.empty()) return;
  const NamedPart part = value_of(option, value);
  Scanner in(part.place.text, part.place.begin);
  read(in);
  if (!in.done()) in.fail(in.position(), "this does not belong to " + option);
  throw UserError("no kernel of this version runs on a mesh", part.place,
                  "leave " + option + " out: kernels are judged on one device");
}

}  // namespace

std::span<const MeshWord> mesh_axes() {
  static constexpr auto all = std::to_array<MeshWord>({
      {"batch", "sequences lie on several devices"},
      {"ulysses", "rows become heads by an all-to-all exchange, and rows again"},
      {"ring", "keys and values go round a ring of devices"},
      {"inner", "the ring within a group of a double ring"},
      {"outer", "the ring of groups of a double ring"},
  });
  return all;
}

std::span<const MeshWord> mesh_faults() {
  static constexpr auto all = std::to_array<MeshWord>({
      {"straggler", "a device computes more slowly"},
      {"delay", "messages arrive later"},
      {"reorder", "messages overtake each other"},
      {"duplicate", "messages arrive twice"},
      {"drop", "messages are lost"},
      {"corrupt", "messages arrive with other bits"},
      {"dead_rank", "a device stops"},
      {"mismatched_collective", "devices call other collectives than their partners"},
  });
  return all;
}

void refuse_mesh(const RunCommand& command) {
  refuse("--mesh", command.mesh, read_mesh);
  refuse("--faults", command.faults, read_faults);
  refuse("--world-seed", command.world_seed, read_world_seed);
}

}  // namespace attestone
