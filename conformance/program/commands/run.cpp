// SPDX-License-Identifier: Apache-2.0
// attestone run: judges kernels on a problem or a suite, and reports.
#include <fmt/format.h>
#include <iostream>
#include <optional>
#include <random>

#include "backends/distributed/worlds/processes/found_crew.hpp"
#include "conformance/problems/by_power.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/program/commands/loaded_kernels.hpp"
#include "conformance/program/commands/report_folder.hpp"
#include "conformance/program/ending.hpp"
#include "conformance/program/machine.hpp"
#include "conformance/program/terminal.hpp"
#include "conformance/program/watched.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/trial/problem_memory.hpp"

namespace attestone::inline conformance {
namespace {

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
std::optional<ReportFolder> folder_of(const RunRequest& request) {
  if (request.report_directory.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, format] : Registry<ReportFormat>::all()) names.push_back(file_name(format));
  return ReportFolder(request.report_directory, names);
}

void write_files(const Report& report, const ReportFolder& folder, const std::string& directory) {
  std::vector<ReportFile> files;
  for (const auto& [name, format] : Registry<ReportFormat>::all()) {
    const ReportFormat& own = format;
    files.push_back(
        {file_name(own), [&report, &own](std::ostream& out) { own.write(report, Style{.verbose = true}, out); }});
  }
  folder.write(files);
  say(fmt::format("reports are in {}\n", directory));
}

}  // namespace

ExitStatus run_command(const RunRequest& request) {
  if (request.serves_another_rank) {
    serve_found_crew();
    return ExitStatus::ok;
  }
  RunOptions options;
  options.required = request.required;
  options.properties = request.properties, options.excluded = request.excluded;
  options.fail_fast = request.fail_fast, options.shrink = request.shrink;
  options.problems = request.problems.problems;
  options.suite = request.problems.of_a_suite;
  options.asked = request.problems.text;
  const std::optional<ReportFolder> folder = folder_of(request);

  ProblemRequest problems = request.problems;
  WatchedWork work;
  work.kernels = [&] {
    std::vector<Candidate> candidates = load_kernels(request.kernels);
    if (problems.unseen && !problems.unseen->seed) problems.unseen->seed = std::random_device()();
    for (const Candidate& candidate : candidates) check_memory(options.problems, *candidate.kernel);
    return candidates;
  };
  work.options_of = [&](const Kernel& kernel) {
    RunOptions own = options;
    own.threads = problems_at_once(kernel);
    for (Problem& problem : more_problems(kernel, problems)) own.problems.push_back(std::move(problem));
    if (request.budget_seconds) own.problems = by_power(own.problems);
    return own;
  };
  work.budget_seconds = request.budget_seconds;
  Progress progress;
  options.progress = [&](const RunProgress& now) { progress.show(line_of(now), now.repro); };
  options.first_failure = [&](const Failure& failure) { progress.tell(lines_of(failure)); };
  const WatchedRuns runs(work);
  progress.clear();
  return runs.end_with([&] {
    const std::string unseen =
        problems.unseen && problems.unseen->seed ? ", " + problems.unseen->text() : std::string();
    const Report report{version(), instruction_set(), problems.title + unseen, runs.results()};
    for (const KernelRun& run : report.runs)
      for (const std::string& cause : run.own_failures)
        say(fmt::format("attestone: no fault of {}: {}\n", run.kernel, cause));
    request.format->write(report, Style{.colour = wants_colour(), .verbose = request.verbose}, std::cout);
    if (folder) write_files(report, *folder, request.report_directory);
    return status_of(report, request.allow_incomplete);
  });
}

}  // namespace attestone::inline conformance
