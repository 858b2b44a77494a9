// SPDX-License-Identifier: Apache-2.0
// attestone list: everything of one kind, a line each.
#include <algorithm>
#include <fmt/format.h>

#include "conformance/program/commands.hpp"
#include "conformance/program/commands/vocabulary.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {

ExitStatus list_command(const std::string& kind) {
  const auto kinds = vocabulary();
  std::vector<std::string> names;
  for (const auto& [name, entries] : kinds) names.push_back(name);
  if (kind.empty()) {
    for (const auto& [name, entries] : kinds)
      fmt::print("{:<12} {:>3}   attestone list {}\n", name, entries.size(), name);
    return ExitStatus::ok;
  }
  const auto found = kinds.find(kind);
  if (found == kinds.end())
    throw UserError("nothing of the kind '" + kind + "'", Place{kind, 0, kind.size()}, did_you_mean(kind, names));
  std::size_t width = 0;
  for (const Word& word : found->second) width = std::max(width, word.name.size());
  for (const Word& word : found->second) fmt::print("{:<{}} {}\n", word.name, width, word.meaning);
  return ExitStatus::ok;
}

}  // namespace attestone::inline conformance
