// SPDX-License-Identifier: Apache-2.0
// Every method with every word of its settings, on a mesh where it matters: what tables of whole methods go through.
#pragma once

#include <algorithm>
#include <set>
#include <sstream>

#include "tests/simulate/random_mesh.hpp"
#include "tests/simulate/refused_on_meshes.hpp"

namespace attestone {

/// False for each pass that the method has and that is the forward one, true for the backward one.
inline std::vector<bool> passes_of(const MethodOnMesh& method) {
  return contains(method.program, "to_both_ends") ? std::vector<bool>{false} : std::vector<bool>{false, true};
}

/// A problem that the method carries: more rows than devices, in numbers that no mesh divides.
inline Problem carried_by(const MethodOnMesh& method, const char* fields) {
  const char* passes = passes_of(method).size() > 1 ? "pass=forward+backward" : "";
  return parse_problem(fmt::format("shape=2x8/4x11x13x4 {} {}", passes, fields));
}

/// True if devices have to send something, and heads cannot be dealt as without the settings that deal them otherwise.
inline bool matters_on(const std::string& program, const GridMesh& mesh) {
  const Shape shape = carried_by({program, mesh.text}, "").shape;
  if (mesh.places() * mesh.ulysses < 3) return false;
  if (contains(program, "heads=uneven")) return shape.kv_heads % mesh.ulysses > 0;
  return !contains(program, "kv=copied") || mesh.ulysses > shape.kv_heads;
}

/// The settings of a program: "hops=all", "messages=fused".
inline std::vector<std::string> settings_of(const std::string& program) {
  std::vector<std::string> all;
  std::istringstream words(program);
  for (std::string word; std::getline(words, word, ':');) all.push_back(word);
  all.erase(all.begin());
  return all;
}

/// Each method at its fallbacks, and with the fewest of its examples that have every setting that some example has, the
/// longest first: on meshes of up to eight devices, one after another.
inline std::vector<MethodOnMesh> methods_on_meshes() {
  std::vector<MethodOnMesh> all;
  for (const std::string& method : all_methods()) {
    std::vector<std::string> programs = all_programs(method);
    std::stable_sort(programs.begin() + 1, programs.end(), [](const std::string& one, const std::string& other) {
      return settings_of(one).size() > settings_of(other).size();
    });
    std::set<std::string> met;
    for (const std::string& program : programs) {
      const std::size_t before = met.size();
      for (const std::string& setting : settings_of(program)) met.insert(setting);
      if (program != method && met.size() == before) continue;
      std::vector<GridMesh> meshes = all_meshes(method, 8);
      std::erase_if(meshes, [&](const GridMesh& mesh) {
        const Asked asked{program, mesh, {}, carried_by({program, mesh.text}, "")};
        return !matters_on(program, mesh) || !expected_refusals(asked).empty();
      });
      if (!meshes.empty()) all.push_back({program, meshes[all.size() * 7 % meshes.size()].text});
    }
  }
  return all;
}

}  // namespace attestone
