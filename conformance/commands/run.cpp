// SPDX-License-Identifier: Apache-2.0
// attestone run: judges kernels on a problem or a suite, and reports.
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <map>

#include "backends/plugin/plugin_kernel.hpp"
#include "backends/plugin/program_kernel.hpp"
#include "conformance/commands/commands.hpp"
#include "conformance/commands/named.hpp"
#include "conformance/kernels.hpp"
#include "conformance/machine.hpp"
#include "conformance/report.hpp"
#include "conformance/suite.hpp"
#include "conformance/terminal.hpp"
#include "conformance/unseen.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// A number and its unit: "1.5m" is 90 with {{"s", 1}, {"m", 60}}.
double amount_of(const std::string& text, const std::map<std::string, double>& units, const char* what,
                 const char* hint) {
  double amount = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  const auto unit = units.find(std::string(stop, text.data() + text.size()));
  if (error != std::errc{} || unit == units.end() || !(amount > 0) || !std::isfinite(amount))
    throw UserError(fmt::format("'{}' is no {}", text, what), hint);
  return amount * unit->second;
}

double seconds_of(const std::string& text, const char* what, const char* hint) {
  return amount_of(text, {{"s", 1}, {"m", 60}, {"h", 3600}}, what, hint);
}

CallLimits limits_of(const RunCommand& command) {
  CallLimits limits;
  if (!command.timeout.empty()) limits.seconds = seconds_of(command.timeout, "time", "write --timeout=10s, 5m or 1h");
  if (!command.memory_limit.empty())
    limits.resident_bytes =
        static_cast<index>(amount_of(command.memory_limit, {{"M", 0x1p20}, {"G", 0x1p30}, {"T", 0x1p40}},
                                     "amount of memory", "write --memory-limit=512M or 2G"));
  return limits;
}

/// The kernels of the command line, those from outside with the option that asks for them.
std::vector<AnyKernel> kernels_of(const RunCommand& command) {
  std::vector<AnyKernel> kernels;
  for (const std::string& text : command.kernels) kernels.push_back(find_kernel(text));
  std::string limits;
  if (!command.timeout.empty()) limits += " --timeout=" + command.timeout;
  if (!command.memory_limit.empty()) limits += " --memory-limit=" + command.memory_limit;
  for (const std::string& path : command.plugins) {
    kernels.push_back(plugin_kernel(path, limits_of(command)));
    kernels.back().option = "--plugin=" + quoted(path) + limits;
  }
  for (const std::string& line : command.programs) {
    kernels.push_back(program_kernel(line, limits_of(command)));
    kernels.back().option = "--program=" + quoted(line) + limits;
  }
  if (kernels.empty())
    throw UserError("which kernel?",
                    "add --kernel=NAME (attestone list kernels shows the names), --plugin=FILE or --program=LINE");
  return kernels;
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

/// "[36/237] 310 passed, 2 failed: attestone run ..."
std::string line_of(const RunProgress& now) {
  const auto count = [&](Outcome outcome) { return now.counts.count(outcome) ? now.counts.at(outcome) : 0; };
  return fmt::format("[{}/{}] {} passed, {} failed: {}", now.problem, now.problems, count(Outcome::passed),
                     count(Outcome::failed), now.repro);
}

std::string lines_of(const Failure& failure) {
  return fmt::format("FAILED {}, {}: {}\n  in {}", failure.property->name, failure.verdict.reason,
                     failure.verdict.evidence, failure.first.text());
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
  const ReportFormat& format = named<ReportFormat>(command.format, "format");
  const std::vector<AnyKernel> kernels = kernels_of(command);
  check_features(command.required);

  RunOptions options;
  options.problems = problems_of(command);
  for (const std::string& name : command.properties) options.properties.push_back(&named<Property>(name, "property"));
  options.required = command.required;
  if (!command.budget.empty())
    options.budget_seconds = seconds_of(command.budget, "budget", "write --budget=60s, 5m or 1h");
  options.fail_fast = command.fail_fast;
  options.interrupted = interrupted;
  if (options.problems.empty()) throw UserError("the suite holds no problem");

  Report report{version(), instruction_set(), title(command), {}};
  const bool whole_suite = command.problem.empty();
  {
    Progress progress;
    options.progress = [&](const RunProgress& now) { progress.show(line_of(now), now.repro); };
    options.first_failure = [&](const Failure& failure) { progress.tell(lines_of(failure)); };
    for (const AnyKernel& kernel : kernels) {
      RunOptions own = options;
      if (whole_suite && kernel.fingerprint)
        for (const Problem& problem : unseen_problems(kernel)) own.problems.push_back(problem);
      report.runs.push_back(judge(kernel, own));
    }
  }
  format.write(report, Style{.colour = wants_colour()}, std::cout);
  std::cout.flush();
  if (!command.report_directory.empty()) write_files(report, command.report_directory);
  if (!report.conforms()) return ExitStatus::does_not_conform;
  return report.ran() ? ExitStatus::ok : ExitStatus::nothing_ran;
}

}  // namespace attestone
