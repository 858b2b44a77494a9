// SPDX-License-Identifier: Apache-2.0
// Reading suites.
#include "conformance/suite.hpp"

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "conformance/generate.hpp"
#include "reference/scanner.hpp"

namespace attestone {
namespace {

constexpr index most_random_problems = 10'000'000;

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

std::vector<Problem> random_problems(const std::string& line) {
  auto given = fields_of(line);
  const auto number = [&](const char* field, index least) {
    const std::string text = given[field];
    given.erase(field);
    Scanner in(text, text.find('=') + 1);
    const index value = in.integer(field, least);
    if (!in.done()) in.fail(in.position(), "this does not belong to the number");
    return value;
  };
  const index count = number("random", 1);
  const index seed = given.count("seed") ? number("seed", 0) : 1;
  if (count > most_random_problems) throw UserError("a line asks for at most 10,000,000 random problems");
  std::vector<Problem> problems;
  for (index i = 0; i < count; ++i)
    problems.push_back(with_fields(random_problem(static_cast<std::uint64_t>(seed), i), given));
  return problems;
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
      const auto of_line = line.compare(first, 7, "random=") == 0 ? random_problems(line) : parse_problems(line);
      problems.insert(problems.end(), of_line.begin(), of_line.end());
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  return problems;
}

std::vector<Problem> load_suite(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (const Suite& suite : builtin_suites()) {
    if (suite.name == name_or_path) return parse_suite(suite.text, name_or_path);
    names.emplace_back(suite.name);
  }
  std::ifstream file(name_or_path, std::ios::binary);
  if (!file)
    throw UserError("no suite and no file is called '" + name_or_path + "'", did_you_mean(name_or_path, names));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_suite(text, name_or_path);
}

}  // namespace attestone
