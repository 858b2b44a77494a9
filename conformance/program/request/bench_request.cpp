// SPDX-License-Identifier: Apache-2.0
// Reading the words of `attestone bench`.
#include "conformance/program/request/bench_request.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <omp.h>

#include "conformance/bench/grids.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/program/request/named.hpp"
#include "conformance/program/request/problem_request.hpp"
#include "reference/problem/to_come.hpp"

namespace attestone::inline conformance {
namespace {

const Grid& grid_of(const NamedPart& part) {
  std::vector<std::string> names;
  for (const Grid& grid : grids()) {
    if (grid.name == part.text) return grid;
    names.emplace_back(grid.name);
  }
  throw UserError(fmt::format("unknown grid '{}'", part.text), part.place, did_you_mean(part.text, names));
}

std::vector<Problem> read_problems(const BenchWords& words) {
  if (!words.problem.empty() && !words.grids.empty())
    throw UserError("give a problem or a --grid, not both",
                    Place{words.problem.front(), 0, words.problem.front().size()},
                    "leave one of them out, or run twice");
  std::vector<Problem> all;
  const auto take = [&](std::string_view line) {
    for (Problem& problem : parse_problems(line)) all.push_back(std::move(problem));
  };
  for (const std::string& line : words.problem.empty() ? std::vector<std::string>{} : typed_problems(words.problem))
    take(line);
  std::vector<NamedPart> parts = parts_of("--grid", words.grids);
  if (words.problem.empty() && parts.empty()) parts = {value_of("--grid", "quick")};
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

std::vector<int> read_threads(const BenchWords& words) {
  constexpr int most = 1024;
  std::vector<int> all;
  for (const NamedPart& part : parts_of("--threads", words.threads)) {
    all.push_back(read_count(part, most, "write --threads=1,2"));
    if (std::count(all.begin(), all.end(), all.back()) > 1)
      throw UserError(fmt::format("{} threads are given twice", part.text), part.place);
  }
  if (!all.empty()) return all;
  if (omp_get_max_threads() == 1) return {1};
  return {1, omp_get_max_threads()};
}

RoundOptions read_rounds(const BenchWords& words) {
  constexpr int most_rounds = 1000, most_percent = 200, tries = 4;
  RoundOptions options;
  if (!words.rounds.empty())
    options.rounds = read_count(value_of("--rounds", words.rounds), most_rounds, "write --rounds=7, or more");
  options.most_tries = tries * options.rounds;
  if (!words.steady.empty())
    options.largest_move = read_count(value_of("--steady", words.steady), most_percent, "write --steady=5") / 100.0;
  return options;
}

/// flash if no kernel is named.
KernelRequest read_kernels(KernelWords words) {
  if (words.kernels.empty() && words.plugins.empty() && words.programs.empty()) words.kernels = {"flash"};
  return read_kernel_request(words);
}

std::vector<NamedPart> read_peer_names(const BenchWords& words) {
  std::vector<NamedPart> names = parts_of("--peer", words.peer_names);
  if (words.peers.empty() && !names.empty())
    throw UserError("which program are these peers asked of?", names.front().place,
                    "add --peers='.venv/bin/python benchmarks/peers/peer.py'; ./run peers does it all");
  return names;
}

}  // namespace

BenchRequest read_bench_request(const BenchWords& words) {
  BenchRequest request;
  request.format = &named<BenchFormat>(value_of("--format", words.format), "format");
  request.problems = read_problems(words);
  request.kernels = read_kernels(words);
  request.peers = words.peers, request.peer_names = read_peer_names(words);
  request.threads = read_threads(words), request.rounds = read_rounds(words);
  request.budget_seconds = read_seconds("--budget", words.budget);
  request.limits_only = words.limits_only, request.report_directory = words.report_directory;
  return request;
}

}  // namespace attestone::inline conformance
