// SPDX-License-Identifier: Apache-2.0
// Making distributed methods from their text.
#include "backends/distributed/rank_program.hpp"

#include <fmt/format.h>

#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {

const RankProgramEntry* find_rank_program(std::string_view text) {
  return Registry<RankProgramEntry>::find(text.substr(0, text.find(':')));
}

std::shared_ptr<const RankProgram> make_rank_program(std::string_view text) {
  Scanner in(text);
  const std::string name = in.word("a distributed method");
  const RankProgramEntry* entry = Registry<RankProgramEntry>::find(name);
  if (!entry)
    in.fail(0, fmt::format("'{}' does not run on a mesh", name),
            did_you_mean(name, Registry<RankProgramEntry>::names()));
  return entry->make(read_settings(in, name, entry->settings));
}

}  // namespace attestone
