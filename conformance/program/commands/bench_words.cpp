// SPDX-License-Identifier: Apache-2.0
// Reading grids, threads and rounds.
#include "conformance/program/commands/bench_words.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <omp.h>

#include "conformance/bench/grids.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/program/commands/named.hpp"
#include "conformance/program/commands/run_problems.hpp"
#include "reference/problem/to_come.hpp"

namespace attestone::inline conformance {
namespace {

/// A whole number from 1 to `most`.
int number_of(const NamedPart& part, int most, const std::string& hint) {
  int number = 0;
  const char* const end = part.text.data() + part.text.size();
  const auto [stop, error] = std::from_chars(part.text.data(), end, number);
  if (error != std::errc{} || stop != end || number < 1 || number > most)
    throw UserError(fmt::format("'{}' is no whole number from 1 to {}", part.text, most), part.place, hint);
  return number;
}

const Grid& grid_of(const NamedPart& part) {
  std::vector<std::string> names;
  for (const Grid& grid : grids()) {
    if (grid.name == part.text) return grid;
    names.emplace_back(grid.name);
  }
  throw UserError(fmt::format("unknown grid '{}'", part.text), part.place, did_you_mean(part.text, names));
}

}  // namespace

std::vector<Problem> problems_of(const BenchCommand& command) {
  if (!command.problem.empty() && !command.grids.empty())
    throw UserError("give a problem or a --grid, not both",
                    Place{command.problem.front(), 0, command.problem.front().size()},
                    "leave one of them out, or run twice");
  std::vector<Problem> all;
  const auto take = [&](std::string_view line) {
    for (Problem& problem : parse_problems(line)) all.push_back(std::move(problem));
  };
  for (const std::string& line : command.problem.empty() ? std::vector<std::string>{} : typed_problems(command.problem))
    take(line);
  std::vector<NamedPart> parts = parts_of("--grid", command.grids);
  if (command.problem.empty() && parts.empty()) parts = {value_of("--grid", "quick")};
  for (const NamedPart& part : parts)
    for (const std::string_view line : grid_of(part).problems) take(line);
  for (const Problem& problem : all) {
    check_judged(problem), check_source(problem);
    if (problem.shape.queries == 0 || problem.shape.keys == 0)
      throw UserError("a problem without queries or keys takes no time that says anything",
                      Place{problem.text(), 0, problem.text().find(' ')});
  }
  return all;
}

std::vector<int> threads_of(const BenchCommand& command) {
  constexpr int most = 1024;
  std::vector<int> all;
  for (const NamedPart& part : parts_of("--threads", command.threads)) {
    all.push_back(number_of(part, most, "write --threads=1,2"));
    if (std::count(all.begin(), all.end(), all.back()) > 1)
      throw UserError(fmt::format("{} threads are given twice", part.text), part.place);
  }
  if (!all.empty()) return all;
  if (omp_get_max_threads() == 1) return {1};
  return {1, omp_get_max_threads()};
}

RoundOptions rounds_of(const BenchCommand& command) {
  constexpr int most_rounds = 1000, most_percent = 200, tries = 4;
  RoundOptions options;
  if (!command.rounds.empty())
    options.rounds = number_of(value_of("--rounds", command.rounds), most_rounds, "write --rounds=7, or more");
  options.most_tries = tries * options.rounds;
  if (!command.steady.empty())
    options.largest_move = number_of(value_of("--steady", command.steady), most_percent, "write --steady=5") / 100.0;
  return options;
}

}  // namespace attestone::inline conformance
