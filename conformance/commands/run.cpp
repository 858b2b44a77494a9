// SPDX-License-Identifier: Apache-2.0
// attestone run: judges kernels on a problem or a suite, and reports.
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/named.hpp"
#include "conformance/kernels.hpp"
#include "conformance/machine.hpp"
#include "conformance/report.hpp"
#include "conformance/suite.hpp"
#include "conformance/terminal.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

double seconds_of(const std::string& budget) {
  double amount = 0;
  const auto [stop, error] = std::from_chars(budget.data(), budget.data() + budget.size(), amount);
  const std::string unit(stop, budget.data() + budget.size());
  const double factor = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (error != std::errc{} || factor == 0 || !(amount > 0))
    throw UserError("'" + budget + "' is no budget", "write --budget=60s, 5m or 1h");
  return amount * factor;
}

void check_features(const std::vector<std::string>& required) {
  std::vector<std::string> known;
  for (const Feature& feature : features()) known.emplace_back(feature.name);
  for (const std::string& name : required)
    if (std::ranges::find(known, name) == known.end())
      throw UserError("unknown feature '" + name + "'", did_you_mean(name, known));
}

std::vector<Problem> problems_of(const RunCommand& command) {
  if (!command.problem.empty() && !command.suite.empty()) throw UserError("give a problem or a --suite, not both");
  std::vector<Problem> problems = command.problem.empty() ? load_suite(command.suite.empty() ? "smoke" : command.suite)
                                                          : parse_problems(joined(command.problem));
  if (command.seed)
    for (Problem& problem : problems) problem.seed = *command.seed;
  return problems;
}

std::string title(const RunCommand& command) {
  if (!command.problem.empty()) return joined(command.problem);
  return "suite " + (command.suite.empty() ? "smoke" : command.suite);
}

/// Writes the report in every format, so that people and programs find theirs.
void write_files(const Report& report, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const auto& [name, format] : Registry<ReportFormat>::all()) {
    const auto path = directory / ("report." + std::string(format.extension));
    std::ofstream file(path);
    format.write(report, Style{}, file);
    if (!file.flush()) throw UserError("cannot write " + path.string());
  }
  fmt::print(stderr, "reports are in {}\n", directory.string());
}

}  // namespace

ExitStatus run_command(const RunCommand& command) {
  if (command.kernels.empty())
    throw UserError("which kernel?", "add --kernel=NAME; attestone list kernels shows the names");
  const ReportFormat& format = named<ReportFormat>(command.format, "format");
  std::vector<AnyKernel> kernels;
  for (const std::string& text : command.kernels) kernels.push_back(find_kernel(text));
  check_features(command.required);

  RunOptions options;
  options.problems = problems_of(command);
  for (const std::string& name : command.properties) options.properties.push_back(&named<Property>(name, "property"));
  options.required = command.required;
  if (!command.budget.empty()) options.budget_seconds = seconds_of(command.budget);
  options.interrupted = interrupted;
  if (options.problems.empty()) throw UserError("the suite holds no problem");

  Report report{version(), instruction_set(), title(command), {}};
  {
    Progress progress;
    options.progress = [&](const std::string& line, index done, index all) { progress.show(line, done, all); };
    for (const AnyKernel& kernel : kernels) report.runs.push_back(judge(kernel, options));
  }
  format.write(report, Style{.colour = wants_colour()}, std::cout);
  std::cout.flush();
  if (!command.report_directory.empty()) write_files(report, command.report_directory);
  if (!report.conforms()) return ExitStatus::does_not_conform;
  return report.ran() ? ExitStatus::ok : ExitStatus::nothing_ran;
}

}  // namespace attestone
