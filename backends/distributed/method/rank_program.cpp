// SPDX-License-Identifier: Apache-2.0
// Making distributed methods from their text.
#include "backends/distributed/method/rank_program.hpp"

#include <fmt/format.h>

#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {

namespace {

/// The one of another system whose name ends so; null if there is none, or several.
const RankProgramEntry* find_of_systems(std::string_view name) {
  const RankProgramEntry* found = nullptr;
  for (const auto& [qualified, entry] : Registry<RankProgramEntry>::all()) {
    const std::size_t slash = qualified.find('/');
    if (slash == std::string::npos || std::string_view(qualified).substr(slash + 1) != name) continue;
    if (found) return nullptr;
    found = &entry;
  }
  return found;
}

}  // namespace

Seen RankProgram::most_seen(const Problem& problem, const Mesh& mesh) const {
  if (mesh.places() == 1) return Seen::whole;
  return problem.mask.is_full() ? Seen::all : Seen::some;
}

const RankProgramEntry* find_rank_program(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  const RankProgramEntry* ours = Registry<RankProgramEntry>::find(name);
  return ours ? ours : find_of_systems(name);
}

std::shared_ptr<const RankProgram> make_rank_program(std::string_view text) {
  Scanner in(text);
  const std::string name = in.until(":");
  const RankProgramEntry* entry = find_rank_program(name);
  if (!entry)
    in.fail(0, fmt::format("'{}' does not run on a mesh", name),
            did_you_mean(name, Registry<RankProgramEntry>::names()));
  return entry->make(read_settings(in, name, entry->settings));
}

}  // namespace attestone::inline backends
