// SPDX-License-Identifier: Apache-2.0
// attestone demo: a right kernel and a wrong one, judged in seconds and told on one screen.
#include <fmt/format.h>
#include <optional>

#include "conformance/program/commands.hpp"
#include "conformance/program/watched.hpp"
#include "conformance/reports/causes.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/reports/wording.hpp"
#include "conformance/reports/wrapped.hpp"
#include "conformance/run/kernels.hpp"

namespace attestone::inline conformance {
namespace {

// Few enough problems to be quick; the lost tail shows as soon as keys are no multiple of its tile of 16.
constexpr const char* problems =
    "shape=1x2x6x38x32,1x1x3x17x8,1x2x9x48x32,1x4/2x33x70x64,1x1x20x64x16 mask=full,causal dtype=f32,bf16";
constexpr const char* indent = "   ";

/// Nothing if it was cut short.
std::optional<KernelRun> judged(const char* kernel) {
  WatchedWork work;
  work.kernels = [kernel] { return std::vector<Candidate>{find_kernel(kernel)}; };
  work.options_of = [](const Kernel&) { return RunOptions{.problems = parse_problems(problems)}; };
  const WatchedRuns runs(work);
  if (runs.results().empty() || runs.results().front().cut_short) {
    runs.end_with([] { return ExitStatus::cut_short; });
    return std::nullopt;
  }
  return runs.results().front();
}

void print_counts(const KernelRun& run) {
  const auto count = [&](Outcome outcome) { return count_of(run.counts, outcome); };
  fmt::print("{}{} {}: of {} cases {} passed, {} failed, {} could not have told right from wrong.\n", indent,
             run.kernel, headline(run), run.cases.size(), count(Outcome::passed), count(Outcome::failed),
             count(Outcome::inconclusive));
}

void print_shares(const KernelRun& run) {
  for (const auto& [format, accuracy] : worst_accuracy(run))
    fmt::print("{}In {} its worst element is off by {} of what its arithmetic may do to it.\n", indent, format,
               share_text(accuracy.r_prob));
}

/// The first thing that is wrong, and how many properties say something else.
void print_failures(const KernelRun& run) {
  const std::vector<Cause> all = causes(run);
  const Cause& first = all.front();
  fmt::print("{}FAILED {}: {}\n", indent, name_of(*first.failure), first.failure->verdict.evidence);
  if (first.shared) fmt::print("{}", wrapped("     shared  ", text(*first.shared)));
  fmt::print("     repro   {}\n", repro_line(first.failure->option, *first.failure->property, first.failure->least));
  if (run.failures.size() > 1) fmt::print("{}{} other properties fail, too.\n", indent, run.failures.size() - 1);
  for (const Finding& finding : run.findings)
    fmt::print("{}",
               wrapped(fmt::format("{}{} '{}': ", indent, run.findings.size() > 1 ? "may be" : "matches", finding.name),
                       finding.says + "; look at " + finding.look_at));
  for (const std::string& line : run.read_out) fmt::print("{}{}\n", indent, line);
}

}  // namespace

ExitStatus demo_command() {
  fmt::print("Two kernels, each judged on {} problems by every property that applies.\n",
             parse_problems(problems).size());
  fmt::print("\n1. A right one: FlashAttention forward, tiled, with online softmax.\n\n");
  const std::optional<KernelRun> right = judged("flash");
  if (!right) return ExitStatus::cut_short;
  print_counts(*right);
  print_shares(*right);
  fmt::print("\n2. A wrong one: the same algorithm, but the keys after the last full tile are never read.\n\n");
  const std::optional<KernelRun> wrong = judged("lost_tail");
  if (!wrong) return ExitStatus::cut_short;
  print_counts(*wrong);
  if (!wrong->failures.empty()) print_failures(*wrong);
  fmt::print(
      "\nNext: attestone run --kernel=flash --suite=smoke, and attestone list mutants for more wrong kernels.\n");
  return right->conforms() && !wrong->conforms() ? ExitStatus::ok : ExitStatus::internal_error;
}

}  // namespace attestone::inline conformance
