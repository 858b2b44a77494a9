// SPDX-License-Identifier: Apache-2.0
// The kill matrix for people at a terminal: a line for each mutant, two signs for each judge.
#include <fmt/format.h>
#include <ostream>

#include "conformance/rival_rules/formats/matrix_format.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr std::string_view signs = ".#~";  // by Ruling

/// Where a line shows whether the suite convicts.
constexpr std::size_t suite_column = 38;

char sign(Ruling ruling) { return signs[static_cast<std::size_t>(ruling)]; }

void write_mutants(const KillMatrix& matrix, std::ostream& out) {
  std::string head = fmt::format("{:<34}{:<9}", "mutant", "attestone");
  for (std::size_t j = 1; j <= matrix.judges.size(); ++j) head += fmt::format(" {:>2}", j);
  out << head << '\n';
  for (const MutantRow& row : matrix.mutants) {
    std::string line = fmt::format("{:<34}{:<10}", row.mutant->name, row.convicted() ? "#" : "NOT");
    if (!matrix.suite.empty()) line[suite_column] = row.by_suite ? '#' : '.';
    for (const Conviction& by : row.convictions) line += {sign(by.on_usual_inputs), sign(by.on_its_problem), ' '};
    line.pop_back();
    out << line << '\n';
  }
  out << "\nTwo signs for each judge: on the inputs that its project tests, and on the problem that shows the fault.\n"
         "# convicted   . let through   ~ convicted, but so is the correct twin\n";
  if (!matrix.suite.empty())
    out << fmt::format("The second sign below attestone is the suite {} alone.\n", matrix.suite);
}

std::string alarms_text(const FalseAlarms& alarms) { return fmt::format("{} of {}", alarms.alarms, alarms.cases); }

void write_judges(const KillMatrix& matrix, std::ostream& out) {
  const auto line = [&](const std::string& number, std::string_view name, const std::string& usual,
                        const std::string& all, const std::string& alarms, const std::string& on_problems) {
    out << fmt::format("{:>2}  {:<18}{:>13}{:>13}{:>16}{:>16}\n", number, name, usual, all, alarms, on_problems);
  };
  out << '\n';
  line("", "", "kills", "kills", "false alarms", "false alarms");
  line("", "judge", "usual inputs", "and ours", "usual inputs", "on ours");
  const auto kills = [&](index count) { return fmt::format("{} of {}", count, matrix.mutants.size()); };
  line("", "attestone", "", kills(matrix.our_kills()), "", alarms_text(matrix.our_alarms()));
  if (!matrix.suite.empty())
    line("", fmt::format("suite {}", matrix.suite), kills(matrix.suite_kills()), "", alarms_text(matrix.suite_alarms()),
         "");
  int number = 0;
  for (const JudgeColumn& column : matrix.by_judge())
    line(fmt::format("{}", ++number), column.judge->name, kills(column.kills_on_usual_inputs), kills(column.kills),
         alarms_text(column.on_usual_inputs), alarms_text(column.on_problems));
  out << fmt::format(
      "\nFalse alarms are counted over {} correct kernels. \"attestone explain NAME\" says the rule of a judge.\n",
      matrix.correct.size());
}

void write(const KillMatrix& matrix, std::ostream& out) {
  write_mutants(matrix, out);
  write_judges(matrix, out);
}

const Registration<MatrixFormat> registered{{
    .name = "text",
    .extension = "txt",
    .summary = "for people at a terminal",
    .write = write,
}};

}  // namespace
}  // namespace attestone::inline conformance
