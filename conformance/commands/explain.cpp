// SPDX-License-Identifier: Apache-2.0
// attestone explain: what a name, or the reason of a verdict, means.
#include <fmt/format.h>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/vocabulary.hpp"
#include "reference/user_error.hpp"

namespace attestone {

ExitStatus explain_command(const std::string& id) {
  std::vector<std::string> names;
  bool found = false;
  for (const auto& [kind, words] : vocabulary())
    for (const Word& word : words) {
      const std::string bare = word.name.substr(0, word.name == id ? std::string::npos : word.name.find(':'));
      names.push_back(bare);
      if (bare != id) continue;
      found = true;
      fmt::print("{} ({})\n  {}\n{}", word.name, kind, word.meaning, word.details);
    }
  if (!found) throw UserError("nothing is called '" + id + "'", did_you_mean(id, names));
  return ExitStatus::ok;
}

}  // namespace attestone
