// SPDX-License-Identifier: Apache-2.0
// From words, suites and filters to problems.
#include "conformance/program/commands/run_problems.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "conformance/problems/fill.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/program/commands/named.hpp"
#include "conformance/run/run.hpp"
#include "reference/problem/to_come.hpp"
#include "reference/scanner.hpp"

namespace attestone::inline conformance {
namespace {

/// Whether one of the word's fields is a shape.
bool holds_shape(const std::string& word) {
  return word.starts_with("shape=") || word.find(" shape=") != std::string::npos;
}

std::set<std::string> formats_of(const RunCommand& command) {
  std::set<std::string> formats;
  for (const NamedPart& part : parts_of("--dtype", command.dtypes)) formats.emplace(named<DType>(part, "dtype").name);
  return formats;
}

std::uint64_t seed_of(const std::string& text) {
  const NamedPart seed = value_of("--seed", text);
  try {
    Scanner in(seed.place.text, seed.place.begin);
    const std::uint64_t value = in.unsigned_integer("the seed");
    if (in.done()) return value;
  } catch (const UserError&) {  // below, with a hint
  }
  throw UserError(fmt::format("'{}' is no seed", text), seed.place,
                  "write --seed=7: a whole number from 0 to 2^64 - 1, in decimal digits");
}

std::string suite_of(const RunCommand& command) { return command.suite.empty() ? "smoke" : command.suite; }

void set_seeds(std::vector<Problem>& problems, std::uint64_t seed) {
  for (Problem& problem : problems) problem.seed = seed;
}

}  // namespace

std::vector<std::string> typed_problems(const std::vector<std::string>& words) {
  const auto shapes = std::count_if(words.begin(), words.end(), holds_shape);
  if (shapes < 2) return {fmt::format("{}", fmt::join(words, " "))};
  for (const std::string& word : words)
    if (!holds_shape(word))
      throw UserError("several words hold a shape, and this one does not: which problem does it belong to?",
                      Place{word, 0, word.size()}, "put each problem into quotes");
  return words;
}

std::vector<Problem> of_dtypes(const RunCommand& command, const std::vector<Problem>& problems) {
  if (command.dtypes.empty()) return problems;
  const std::set<std::string> formats = formats_of(command);
  std::vector<Problem> kept;
  for (const Problem& problem : problems)
    if (formats.count(std::string(problem.input.name))) kept.push_back(problem);
  return kept;
}

std::vector<Problem> problems_of(const RunCommand& command) {
  if (!command.problem.empty() && !command.suite.empty())
    throw UserError("give a problem or a --suite, not both",
                    Place{command.problem.front(), 0, command.problem.front().size()},
                    "write the problem into a file for --suite=FILE, or leave --suite out");
  std::vector<Problem> all;
  if (command.problem.empty())
    all = load_suite(suite_of(command));
  else
    for (const std::string& line : typed_problems(command.problem))
      for (Problem& problem : parse_problems(line)) all.push_back(std::move(problem));
  if (all.empty()) throw UserError("the suite holds no problem", value_of("--suite", command.suite).place);
  std::set<std::string> there;
  for (const Problem& problem : all) there.emplace(problem.input.name);
  std::vector<Problem> problems = of_dtypes(command, all);
  if (problems.empty())
    throw UserError("--dtype leaves no problem",
                    fmt::format("{} has problems of {}", title_of(command), fmt::join(there, ", ")));
  if (!command.seed.empty()) set_seeds(problems, seed_of(command.seed));
  for (const Problem& problem : problems) check_judged(problem), check_source(problem);
  return problems;
}

std::vector<Problem> problems_designed_for(const Kernel& kernel, const RunCommand& command,
                                           const std::vector<Problem>& known) {
  if (!command.problem.empty()) return {};
  const std::set<std::string> formats = formats_of(command);
  const auto takes = [&](const Problem& problem) {
    return (formats.empty() || formats.count(std::string(problem.input.name))) && kernel.takes(problem);
  };
  if (formats.empty() && std::ranges::all_of(known, takes)) return {};  // without making the designs again
  std::vector<Problem> all;
  for (const DesignOptions& design : designs_of_suite(suite_of(command)))
    for (Problem& problem : designed_for(takes, design, known)) all.push_back(std::move(problem));
  if (!command.seed.empty()) set_seeds(all, seed_of(command.seed));
  return all;
}

std::string asked_text(const RunCommand& command) {
  std::vector<std::string> words;
  if (command.problem.empty()) words.push_back("--suite=" + suite_of(command));
  for (const std::string& formats : command.dtypes) words.push_back("--dtype=" + formats);
  if (!command.seed.empty()) words.push_back("--seed=" + command.seed);
  if (!command.problem.empty())
    for (const std::string& line : typed_problems(command.problem)) words.push_back(quoted(line));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string title_of(const RunCommand& command) {
  if (!command.problem.empty()) return fmt::format("{}", fmt::join(typed_problems(command.problem), "; "));
  return "suite " + suite_of(command);
}

}  // namespace attestone::inline conformance
