// SPDX-License-Identifier: Apache-2.0
// attestone explain: what a name, or the reason of a verdict, means.
#include <fmt/format.h>

#include "conformance/problems/design.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/program/commands/explain_problem_word.hpp"
#include "conformance/program/commands/vocabulary.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

std::string explained_design(const std::string& line) {
  const Design design = designed(design_options(line));
  std::string text = fmt::format(
      "{} (design)\n  {} problems, in which every two regimes of {} axes meet, but for {} combinations that cannot:\n",
      line, design.problems.size(), axes_in_turn().size(), design.impossible.size());
  for (const std::string& combination : design.impossible) text += fmt::format("    {}\n", combination);
  return text;
}

}  // namespace

ExitStatus explain_command(const std::string& id) {
  if (id.starts_with("design=")) {
    fmt::print("{}", explained_design(id));
    return ExitStatus::ok;
  }
  std::vector<std::string> names;
  bool found = false;
  for (const auto& [kind, words] : vocabulary())
    for (const Word& word : words) {
      const std::string bare = word.name.substr(0, word.name == id ? std::string::npos : word.name.find(':'));
      names.push_back(bare);
      if (bare != id) continue;
      found = true;
      fmt::print("{} ({})\n  {}\n{}", word.name, kind, word.meaning, word.details);
      if (kind == "suites") fmt::print("  {} problems\n", load_suite(word.name).size());
    }
  const bool with_arguments = id.find_first_of(":=&|~>") != std::string::npos;
  if (const auto text = found && !with_arguments ? std::nullopt : explained_problem_word(id)) {
    fmt::print("{}", *text);
    found = true;
  }
  // "mask=&" of coverage is the operator.
  if (const auto equals = id.find('='); !found && equals != std::string::npos)
    return explain_command(id.substr(equals + 1));
  if (found) return ExitStatus::ok;
  const std::string hint = did_you_mean(id, names);
  throw UserError(
      "nothing is called '" + id + "'", Place{id, 0, id.size()},
      hint.starts_with("known:") ? "attestone list shows the kinds of names, attestone list KIND their names" : hint);
}

}  // namespace attestone::inline conformance
