// SPDX-License-Identifier: Apache-2.0
// From words, suites and filters to problems.
#include "conformance/program/request/problem_request.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/problems/fill.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/problems/unseen.hpp"
#include "conformance/program/request/named.hpp"
#include "conformance/run/run.hpp"
#include "reference/problem/to_come.hpp"
#include "reference/scanner.hpp"

namespace attestone::inline conformance {
namespace {

/// True if one of the word's fields is a shape.
bool holds_shape(const std::string& word) {
  return word.starts_with("shape=") || word.find(" shape=") != std::string::npos;
}

std::set<std::string> read_formats(const std::vector<std::string>& values) {
  std::set<std::string> formats;
  for (const NamedPart& part : parts_of("--dtype", values)) formats.emplace(named<DType>(part, "dtype").name);
  return formats;
}

std::optional<std::uint64_t> read_seed(const std::string& text) {
  if (text.empty()) return std::nullopt;
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

constexpr index most_unseen = 100'000;

std::optional<UnseenRequest> read_unseen(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const NamedPart unseen = value_of("--unseen", text);
  try {
    Scanner in(unseen.place.text, unseen.place.begin);
    UnseenRequest request{in.integer("how many problems", 1), {}};
    if (in.take(':')) request.seed = in.unsigned_integer("the seed");
    if (in.done() && request.count <= most_unseen) return request;
  } catch (const UserError&) {  // below, with a hint
  }
  throw UserError(fmt::format("'{}' says not how many problems", text), unseen.place,
                  "write --unseen=100 for fresh ones, or --unseen=100:SEED for those of an earlier run");
}

/// The problems as they were typed, each quoted, or the suite; then what narrows them.
std::string text_of(const ProblemWords& words, const std::vector<std::string>& lines, const std::string& suite) {
  std::vector<std::string> all;
  if (lines.empty()) all.push_back("--suite=" + suite);
  for (const std::string& formats : words.dtypes) all.push_back("--dtype=" + formats);
  if (!words.seed.empty()) all.push_back("--seed=" + words.seed);
  for (const std::string& line : lines) all.push_back(quoted(line));
  return fmt::format("{}", fmt::join(all, " "));
}

void take_suite(ProblemRequest& request, const std::string& suite, const ProblemWords& words) {
  SuiteContents contents = read_suite(suite);
  request.problems = std::move(contents.problems), request.designs = std::move(contents.designs);
  if (request.problems.empty()) throw UserError("the suite holds no problem", value_of("--suite", words.suite).place);
}

void keep_formats(ProblemRequest& request) {
  std::set<std::string> there;
  for (const Problem& problem : request.problems) there.emplace(problem.input.name);
  std::erase_if(request.problems, [&](const Problem& problem) { return !request.takes_format(problem); });
  if (request.problems.empty())
    throw UserError("--dtype leaves no problem",
                    fmt::format("{} has problems of {}", request.title, fmt::join(there, ", ")));
}

void set_seed(std::vector<Problem>& problems, const std::optional<std::uint64_t>& seed) {
  if (!seed) return;
  for (Problem& problem : problems) problem.seed = *seed;
}

/// Problems of the request's designs for what the kernel takes, as far as its own do not show it.
std::vector<Problem> designed_problems(const Kernel& kernel, const ProblemRequest& request) {
  const auto takes = [&](const Problem& problem) { return request.takes_format(problem) && kernel.takes(problem); };
  if (request.formats.empty() && std::ranges::all_of(request.problems, takes))
    return {};  // without making the designs again
  std::vector<Problem> all;
  for (const DesignOptions& design : request.designs)
    for (Problem& problem : designed_for(takes, design, request.problems)) all.push_back(std::move(problem));
  set_seed(all, request.seed);
  return all;
}

}  // namespace

std::string UnseenRequest::text() const {
  return fmt::format("and {} unseen problems of seed {} (--unseen={}:{} asks them again)", count, *seed, count, *seed);
}

bool ProblemRequest::takes_format(const Problem& problem) const {
  return formats.empty() || formats.count(std::string(problem.input.name));
}

std::vector<std::string> typed_problems(const std::vector<std::string>& words) {
  const auto shapes = std::count_if(words.begin(), words.end(), holds_shape);
  if (shapes < 2) return {fmt::format("{}", fmt::join(words, " "))};
  for (const std::string& word : words)
    if (!holds_shape(word))
      throw UserError("several words hold a shape, and this one does not: which problem does it belong to?",
                      Place{word, 0, word.size()}, "put each problem into quotes");
  return words;
}

ProblemRequest read_problem_request(const ProblemWords& words) {
  ProblemRequest request;
  request.of_a_suite = words.problem.empty();
  if (!request.of_a_suite && !words.suite.empty())
    throw UserError("give a problem or a --suite, not both",
                    Place{words.problem.front(), 0, words.problem.front().size()},
                    "write the problem into a file for --suite=FILE, or leave --suite out");
  request.formats = read_formats(words.dtypes);
  request.seed = read_seed(words.seed);
  request.unseen = read_unseen(words.unseen);
  const std::string suite = words.suite.empty() ? "smoke" : words.suite;
  std::vector<std::string> lines;
  if (!request.of_a_suite) lines = typed_problems(words.problem);
  for (const std::string& line : lines)
    for (Problem& problem : parse_problems(line)) request.problems.push_back(std::move(problem));
  if (request.of_a_suite) take_suite(request, suite, words);
  request.text = text_of(words, lines, suite);
  request.title = request.of_a_suite ? "suite " + suite : fmt::format("{}", fmt::join(lines, "; "));
  keep_formats(request);
  set_seed(request.problems, request.seed);
  for (const Problem& problem : request.problems) check_judged(problem), check_source(problem);
  return request;
}

std::vector<Problem> more_problems(const Kernel& kernel, const ProblemRequest& request) {
  std::vector<Problem> all;
  if (request.unseen)
    all = unseen_problems(kernel, *request.unseen->seed, static_cast<std::size_t>(request.unseen->count));
  else if (request.of_a_suite && kernel.fingerprint())
    all = unseen_problems(kernel);
  std::erase_if(all, [&](const Problem& problem) { return !request.takes_format(problem); });
  if (!request.of_a_suite) return all;
  for (Problem& problem : designed_problems(kernel, request)) all.push_back(std::move(problem));
  return all;
}

}  // namespace attestone::inline conformance
