// SPDX-License-Identifier: Apache-2.0
// Reading suites.
#include "conformance/problems/suite.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include "conformance/problems/fill.hpp"
#include "conformance/problems/generate.hpp"
#include "reference/files/regular_file.hpp"
#include "reference/problem/to_come.hpp"
#include "reference/scanner.hpp"

namespace attestone::inline conformance {
namespace {

// More than any machine judges in a week, and less than fills its memory.
constexpr std::size_t most_problems = 1'000'000;
constexpr std::uint64_t largest_file = 64'000'000;  // bytes

/// The fields of a line by their names, each with its whole text.
std::map<std::string, std::string> fields_of(const std::string& line) {
  std::map<std::string, std::string> fields;
  std::istringstream words(line);
  for (std::string word; words >> word;) fields[word.substr(0, word.find('='))] = word;
  return fields;
}

/// A random problem whose fields are replaced by the given ones.
Problem with_fields(const Problem& problem, const std::map<std::string, std::string>& given) {
  auto fields = fields_of(problem.text());
  for (const auto& [name, text] : given) fields[name] = text;
  std::string line;
  for (const auto& [name, text] : fields) line += text + " ";
  return parse_problem(line);
}

[[noreturn]] void throw_too_many() {
  throw UserError(fmt::format("the suite has more than {} problems", most_problems));
}

/// So many problems for one line without commas.
std::vector<Problem> random_problems(const std::string& line, std::size_t room) {
  auto given = fields_of(line);
  const auto number = [&](const char* field, index least, index most) {
    const std::string text = given[field];
    given.erase(field);
    const std::size_t begin = text.find('=') + 1;
    Scanner in(text, begin);
    const index value = in.integer(field, least);
    if (!in.done()) in.fail(in.position(), "this does not belong to the number");
    if (value > most) in.fail(begin, fmt::format("this is at most {}", most));
    return value;
  };
  const index count = number("random", 1, most_problems);
  if (static_cast<std::size_t>(count) > room) throw_too_many();
  const index seed = given.count("seed") ? number("seed", 0, std::numeric_limits<index>::max()) : 1;
  std::vector<Problem> problems;
  for (index i = 0; i < count; ++i)
    problems.push_back(with_fields(random_problem(static_cast<std::uint64_t>(seed), i), given));
  return problems;
}

bool begins(const std::string& line, std::string_view word) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string::npos && line.compare(first, word.size(), word) == 0;
}

/// The problems of a line: of each choice of its commas.
std::vector<Problem> problems_of_line(const std::string& line, std::size_t room) {
  if (begins(line, "design=")) return problems_of_design(design_options(line));
  if (!begins(line, "random=")) return parse_problems(line);
  std::vector<Problem> problems;
  for (const std::string& one : multiplied(line))
    for (Problem& problem : random_problems(one, room - problems.size())) problems.push_back(std::move(problem));
  return problems;
}

/// The text of a named suite, or of a file.
std::string text_of(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (const Suite& suite : builtin_suites()) {
    if (suite.name == name_or_path) return std::string(suite.text);
    names.emplace_back(suite.name);
  }
  std::error_code error;
  if (std::filesystem::symlink_status(name_or_path, error).type() == std::filesystem::file_type::not_found) {
    const std::string option = "--suite=";
    throw UserError("no suite and no file is called '" + name_or_path + "'",
                    Place{option + name_or_path, option.size(), name_or_path.size()},
                    did_you_mean(name_or_path, names));
  }
  return read_text(name_or_path, largest_file);
}

}  // namespace

std::vector<Problem> parse_suite(std::string_view text, const std::string& name) {
  std::vector<Problem> problems;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line[first] == '#') continue;
    try {
      const std::size_t room = most_problems - problems.size();
      const auto of_line = problems_of_line(line, room);
      if (of_line.size() > room) throw_too_many();
      for (const Problem& problem : of_line) check_judged(problem), check_fill(problem);
      problems.insert(problems.end(), of_line.begin(), of_line.end());
    } catch (const UserError& error) {
      throw error.within(fmt::format("{}:{}", name, number));
    }
  }
  return problems;
}

std::vector<Problem> load_suite(const std::string& name_or_path) {
  return parse_suite(text_of(name_or_path), name_or_path);
}

SuiteContents read_suite(const std::string& name_or_path) {
  const std::string text = text_of(name_or_path);
  SuiteContents contents{parse_suite(text, name_or_path), {}};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (begins(line, "design=")) contents.designs.push_back(design_options(line));
  }
  return contents;
}

}  // namespace attestone::inline conformance
