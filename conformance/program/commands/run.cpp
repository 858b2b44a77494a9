// SPDX-License-Identifier: Apache-2.0
// attestone run: judges kernels on a problem or a suite, and reports.
#include <fmt/format.h>
#include <iostream>
#include <optional>

#include "conformance/problems/by_power.hpp"
#include "conformance/problems/unseen.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/program/commands/mpi_options.hpp"
#include "conformance/program/commands/named.hpp"
#include "conformance/program/commands/report_folder.hpp"
#include "conformance/program/commands/run_kernels.hpp"
#include "conformance/program/commands/run_problems.hpp"
#include "conformance/program/ending.hpp"
#include "conformance/program/machine.hpp"
#include "conformance/program/terminal.hpp"
#include "conformance/program/watched.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/trial/problem_memory.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<std::string> features_of(const RunCommand& command) {
  std::vector<std::string> known{std::string(default_class), std::string(default_conventions)}, required;
  for (const Feature& feature : features()) known.emplace_back(feature.name);
  for (const NamedPart& part : parts_of("--require", command.required)) {
    if (std::ranges::find(known, part.text) == known.end())
      throw UserError("unknown feature '" + part.text + "'", part.place, did_you_mean(part.text, known));
    required.push_back(part.text);
  }
  return required;
}

std::vector<const Property*> properties_of(const std::string& option, const std::vector<std::string>& values) {
  std::vector<const Property*> properties;
  for (const NamedPart& part : parts_of(option, values)) properties.push_back(&named<Property>(part, "property"));
  return properties;
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

std::string file_name(const ReportFormat& format) { return fmt::format("report.{}", format.extension); }

/// The folder of --report, for every format, so that people and programs find theirs.
std::optional<ReportFolder> folder_of(const RunCommand& command) {
  if (command.report_directory.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, format] : Registry<ReportFormat>::all()) names.push_back(file_name(format));
  return ReportFolder(command.report_directory, names);
}

void write_files(const Report& report, const ReportFolder& folder, const std::string& directory) {
  std::vector<ReportFile> files;
  for (const auto& [name, format] : Registry<ReportFormat>::all()) {
    const ReportFormat& own = format;
    files.push_back({file_name(own), [&report, &own](std::ostream& out) { own.write(report, Style{}, out); }});
  }
  folder.write(files);
  say(fmt::format("reports are in {}\n", directory));
}

/// What an outside kernel cannot have been made for; of the formats that are judged.
std::vector<Problem> unseen_of(const RunCommand& command, const Kernel& kernel) {
  if (!command.problem.empty() || !kernel.fingerprint()) return {};
  return of_dtypes(command, unseen_problems(kernel));
}

}  // namespace

ExitStatus run_command(const RunCommand& command) {
  if (served_as_rank(command)) return ExitStatus::ok;
  const ReportFormat& format = named<ReportFormat>(value_of("--format", command.format), "format");
  RunOptions options;
  options.required = features_of(command);
  options.properties = properties_of("--property", command.properties);
  options.excluded = properties_of("--except-property", command.excluded);
  options.fail_fast = command.fail_fast;
  options.shrink = !command.no_shrink;
  options.problems = problems_of(command);
  options.suite = command.problem.empty();
  options.asked = asked_text(command);
  const std::optional<ReportFolder> folder = folder_of(command);

  WatchedWork work;
  work.kernels = [&] {
    std::vector<Candidate> candidates = candidates_of(command);
    for (const Candidate& candidate : candidates) check_memory(options.problems, *candidate.kernel);
    return candidates;
  };
  work.options_of = [&](const Kernel& kernel) {
    RunOptions own = options;
    own.threads = problems_at_once(kernel);
    for (const auto& more : {unseen_of(command, kernel), problems_designed_for(kernel, command, options.problems)})
      own.problems.insert(own.problems.end(), more.begin(), more.end());
    if (!command.budget.empty()) own.problems = by_power(own.problems);
    return own;
  };
  if (!command.budget.empty()) work.budget_seconds = seconds_of("--budget", command.budget);
  Progress progress;
  options.progress = [&](const RunProgress& now) { progress.show(line_of(now), now.repro); };
  options.first_failure = [&](const Failure& failure) { progress.tell(lines_of(failure)); };
  const WatchedRuns runs(work);
  progress.clear();
  return runs.end_with([&] {
    const Report report{version(), instruction_set(), title_of(command), runs.results()};
    for (const KernelRun& run : report.runs)
      for (const std::string& cause : run.own_failures)
        say(fmt::format("attestone: no fault of {}: {}\n", run.kernel, cause));
    format.write(report, Style{.colour = wants_colour()}, std::cout);
    if (folder) write_files(report, *folder, command.report_directory);
    return status_of(report, command.allow_incomplete);
  });
}

}  // namespace attestone::inline conformance
