// SPDX-License-Identifier: Apache-2.0
// Asking every method about every mesh of a few devices, and about its costs on four.
#include "conformance/program/commands/method_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "backends/catalogue.hpp"
#include "backends/distributed/mesh_kernel/mesh_shards.hpp"
#include "backends/systems/system_method.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index most_devices = 12, devices_of_costs = 4;

Problem example(bool backward) {
  return parse_problem(std::string("shape=2x8/4x48x48x16 dtype=bf16") + (backward ? " pass=forward+backward" : ""));
}

/// Meshes of so many devices along the axes of a method but batch; those that use several axes first.
std::vector<Mesh> meshes(const RankProgram& program, index devices) {
  std::vector<std::string_view> axes = program.axes();
  std::erase(axes, "batch");
  std::vector<std::string> texts;
  if (axes.size() == 2)
    for (index first = 2; first < devices; ++first)
      if (devices % first == 0) texts.push_back(fmt::format("{}:{}+{}:{}", axes[0], first, axes[1], devices / first));
  for (const std::string_view axis : axes) texts.push_back(fmt::format("{}:{}", axis, devices));
  std::vector<Mesh> all;
  for (const std::string& text : texts) {
    Scanner in(text);
    all.push_back(read_mesh(in));
  }
  return all;
}

/// The first of them on which the method carries the problem.
std::optional<Mesh> mesh_of(const RankProgram& program, const Problem& problem, index devices) {
  for (const Mesh& mesh : meshes(program, devices))
    if (program.supports(problem, mesh)) return mesh;
  return std::nullopt;
}

/// "1-4 6 8"
std::string degrees(const RankProgram& program) {
  const Problem problem = example(false);
  std::string text;
  for (index first = 1, last; first <= most_devices; first = last + 1) {
    for (last = first - 1; last < most_devices && mesh_of(program, problem, last + 1);) ++last;
    if (last < first) {
      last = first;
      continue;
    }
    text += fmt::format(fmt::runtime(last > first ? "{}{}-{}" : "{}{}"), text.empty() ? "" : " ", first, last);
  }
  return text;
}

std::string costs(const RankProgram& program, const std::optional<Mesh>& mesh, bool backward) {
  const Problem problem = example(backward);
  if (!mesh || !program.supports(problem, *mesh)) return "none";
  const MeshShards shards(problem, *mesh, program);
  RankCosts most;
  for (index rank = 0; rank < shards.ranks(); ++rank) {
    const CostedRank one = shards.costed(problem, rank, *make_kernel("flash"));
    const RankCosts costs = backward ? program.backward_costs(one) : program.forward_costs(one);
    most.messages = std::max(most.messages, costs.messages);
    most.bytes = std::max(most.bytes, costs.bytes);
    most.peak.bytes = std::max(most.peak.bytes, costs.peak.bytes);
  }
  return fmt::format("{:>3} messages {:>6} bytes {:>6} held", most.messages, most.bytes, most.peak.bytes);
}

Word method_word(const std::string& text) {
  const auto program = make_rank_program(text);
  const std::optional<Mesh> mesh = mesh_of(*program, example(false), devices_of_costs);
  return {text,
          fmt::format("{:<7} devices, forward {}, backward {}", degrees(*program), costs(*program, mesh, false),
                      costs(*program, mesh, true)),
          ""};
}

}  // namespace

std::vector<Word> method_words() {
  std::vector<Word> all;
  for (const auto& [name, entry] : Registry<RankProgramEntry>::all()) {
    if (Registry<SystemMethod>::find(name)) continue;
    all.push_back(method_word(name));
    for (const Setting& setting : entry.settings) {
      const auto& words = setting.values.words;
      for (const std::string& word : words.empty() ? std::vector<std::string>{"2"} : words)
        if (word != setting.fallback) all.push_back(method_word(fmt::format("{}:{}={}", name, setting.name, word)));
    }
  }
  return all;
}

}  // namespace attestone::inline conformance
