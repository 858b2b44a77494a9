// SPDX-License-Identifier: Apache-2.0
// The report that one pastes into a pull request: short, in Markdown as GitHub and GitLab read it.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ostream>

#include "conformance/reports/causes.hpp"
#include "conformance/reports/wording.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// The text on one line, with every character that could be markup taken as itself: it neither ends a cell of a table
/// nor begins anything.
std::string plain(std::string_view text) {
  constexpr std::string_view markup = "\\`*_[]<>|~&$", markup_at_first = "#+-";
  std::string all;
  for (const char c : printable(text)) {
    if (markup.find(c) != std::string_view::npos || (all.empty() && markup_at_first.find(c) != std::string_view::npos))
      all += '\\';
    all += c == '\n' || c == '\t' ? ' ' : c;
  }
  return all;
}

/// A block that is shown as it is; its fence is longer than any run of backticks within.
std::string block(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fmt::format("{0}sh\n{1}\n{0}\n", fence, text);
}

void write_properties(const KernelRun& run, std::ostream& out) {
  if (run.by_property.empty()) return;
  out << "\n| property | passed | failed | inconclusive |\n|---|--:|--:|--:|\n";
  for (const auto& [name, counts] : run.by_property)
    out << fmt::format("| {} | {} | {} | {} |\n", plain(name), count_of(counts, Outcome::passed),
                       count_of(counts, Outcome::failed), count_of(counts, Outcome::inconclusive));
}

void write_cause(const Cause& cause, const KernelRun& run, std::ostream& out) {
  const Failure& failure = *cause.failure;
  const Verdict& verdict = cause.failure->verdict;
  out << fmt::format("\n**FAILED {}**", plain(name_of(failure)));
  if (failure.property) out << ": " << plain(failure.property->claim);
  if (failure.count > 1) out << fmt::format(" ({} cases)", failure.count);
  out << "\n\n* " << plain(verdict.evidence) << '\n';
  if (const std::string distance = distance_text(verdict); !distance.empty()) out << "* " << plain(distance) << '\n';
  if (const std::string where = where_text(failure); !where.empty()) out << "* where: " << plain(where) << '\n';
  if (const std::string derived = repro_of_derived(failure); !derived.empty())
    out << "* look at the other problem, which is wrong by itself: `" << derived << "`\n";
  else
    out << fmt::format("* look at {} (`attestone explain {}`)\n", plain(look_at(verdict)), verdict.reason);
  if (cause.shared) out << "* shared by " << plain(text(*cause.shared)) << '\n';
  for (const Failure* each : failures_of(cause)) {
    const Circumstances& told = each->circumstances;
    if (!told.pattern.empty()) out << "* pattern: " << plain(told.pattern) << '\n';
    if (const std::string when = when_text(told); !when.empty()) out << "* when: " << plain(when) << '\n';
    for (const NamedKind& kind : told.kinds)
      out << fmt::format("* kind: {}; look at {}\n", plain(kind_text(kind)), plain(kind.look_at));
  }
  if (!cause.others.empty()) out << "* also failed by: " << plain(others_text(cause)) << '\n';
  if (const std::string repro = repro_of(failure); !repro.empty()) out << '\n' << block(repro);
  if (const std::string again = again_text(failure, run); !again.empty()) out << '\n' << plain(again) << '\n';
}

/// Several findings are alternatives.
void write_findings(const KernelRun& run, std::ostream& out) {
  if (run.findings.size() > 1)
    out << "\n**Matches one of these**, which answer alike on the problems that were tried:\n\n";
  for (const Finding& finding : run.findings)
    out << fmt::format("{}'{}'{}: {}; look at {}\n", run.findings.size() > 1 ? "* " : "\n**Matches ",
                       plain(finding.name), run.findings.size() > 1 ? "" : "**", plain(finding.says),
                       plain(finding.look_at));
}

void write_accuracy(const KernelRun& run, std::ostream& out) {
  const auto worst = worst_accuracy(run);
  if (worst.empty()) return;
  out << "\n| accuracy, worst of all cases | max ulp | p99 ulp | r\\_det | r\\_prob | RMSE | rel. L1 | 1 − cosine | "
         "signed mean |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto& [dtype, a] : worst)
    out << fmt::format("| {} | {:.3g} | {:.3g} | {:.3g} | {:.3g} | {:.2e} | {:.2e} | {:.2e} | {:.2e} |\n", plain(dtype),
                       a.max_ulp, a.p99_ulp, a.r_det, a.r_prob, a.rmse, a.relative_l1, 1 - a.cosine, a.signed_mean);
}

std::string name_of(std::string_view axis, const PlaceAccuracy& place) {
  if (place.first == place.last) return fmt::format("{} {}", axis, place.first);
  return fmt::format("{} {} to {}", axis, place.first, place.last);
}

/// The least accurate case of each format: all its tensors, and the least accurate of these along its axes. Folded.
void write_places(const KernelRun& run, std::ostream& out) {
  const auto write = [&](const std::string& place, const PlaceAccuracy& a) {
    out << fmt::format("| {} | {} | {} | {:.3g} | {:.3g} |\n", plain(place), a.elements, a.beyond_bound, a.r_det,
                       a.max_ulp);
  };
  for (const auto& [format, least] : run.least_accurate) {
    out << fmt::format("\n<details><summary>Where the errors of {} lie, at {}</summary>\n\n", plain(format),
                       plain(least.problem.text()));
    out << "| place | elements | beyond bound | r\\_det | max ulp |\n|---|--:|--:|--:|--:|\n";
    for (const TensorAccuracy& tensor : least.by_place)
      write(fmt::format("{}: {}", tensor.tensor, tensor.where), tensor.all);
    const TensorAccuracy& worst = *std::ranges::max_element(least.by_place, {}, &TensorAccuracy::r_det);
    for (const auto& [axis, places] : worst.axes)
      for (const PlaceAccuracy& place : places) write(fmt::format("{}, {}", worst.tensor, name_of(axis, place)), place);
    out << "\n</details>\n";
  }
}

void write_memory(const KernelRun& run, bool backward, std::ostream& out) {
  const Case* largest = largest_memory(run, backward);
  if (!largest) return;
  out << fmt::format("\n{}: {}\n", backward ? "Memory of the backward pass" : "Memory", plain(memory_text(*largest)));
  if (const auto devices = device_texts(*largest); !devices.empty())
    out << '\n' << block(fmt::format("{}", fmt::join(devices, "\n")));
}

void write_coverage(const KernelRun& run, std::ostream& out) {
  std::vector<std::string> parts;
  for (const auto& [feature, counts] : run.coverage) parts.push_back(plain(coverage_text(feature, counts)));
  if (!parts.empty())
    out << fmt::format("\n<details><summary>Coverage: conclusive cases by feature</summary>\n\n{}\n\n</details>\n",
                       fmt::join(parts, ", "));
  if (const auto reach = reach_texts(run); !reach.empty()) out << fmt::format("\nReach: {}\n", fmt::join(reach, "; "));
  if (!run.refusals.empty()) out << '\n';
  for (const auto& [why, problems] : run.refusals)
    out << fmt::format("* refused {} problems: {}\n", problems, plain(why));
  if (const std::string invariant = invariant_text(run); !invariant.empty())
    out << fmt::format("\nRows are independent of {}\n", plain(invariant));
}

void write_run(const KernelRun& run, std::ostream& out) {
  const auto count = [&](Outcome outcome) { return count_of(run.counts, outcome); };
  out << fmt::format("\n### {} {}\n\n", plain(run.kernel), plain(headline(run)));
  out << fmt::format("{} cases passed, {} failed, {} inconclusive; {} problems refused{}\n", count(Outcome::passed),
                     count(Outcome::failed), count(Outcome::inconclusive), count(Outcome::skipped),
                     run.complete ? "" : fmt::format(" ({})", incomplete_text(run)));
  for (const std::string& looser : looser_texts(run)) out << "\n**Declares arithmetic** " << plain(looser) << '\n';
  for (const std::string& own : convention_texts(run)) out << "\n**Own convention** " << plain(own) << '\n';
  if (run.uses_attestone) out << "\n**" << plain(own_answers_text) << "**\n";
  for (const std::string& cause : run.own_failures) out << "\n**attestone itself failed**: " << plain(cause) << '\n';
  for (const auto& [property, why] : run.inconclusive)
    out << fmt::format("\nInconclusive: {} ({})\n", plain(property), plain(why));
  for (const Cause& cause : causes(run)) write_cause(cause, run, out);
  write_findings(run, out);
  if (!run.read_out.empty()) out << '\n' << block(fmt::format("{}", fmt::join(run.read_out, "\n")));
  if (run.would_pass) out << '\n' << plain(would_pass_text(*run.would_pass)) << '\n';
  write_properties(run, out);
  write_accuracy(run, out);
  write_places(run, out);
  for (const bool backward : {false, true}) write_memory(run, backward, out);
  write_coverage(run, out);
  if (const std::string faults = faults_text(run); !faults.empty()) out << "\nFaults: " << plain(faults) << '\n';
  if (run.lean) out << "\nLean over the run: " << plain(lean_text(*run.lean)) << '\n';
}

void write(const Report& report, const Style&, std::ostream& out) {
  out << fmt::format("attestone {}, instruction set {}, {}\n", plain(report.version), plain(report.instruction_set),
                     plain(report.suite));
  for (const KernelRun& run : report.runs) write_run(run, out);
}

const Registration<ReportFormat> registered{{
    .name = "markdown",
    .extension = "md",
    .summary = "for a pull request",
    .write = write,
}};

}  // namespace
}  // namespace attestone::inline conformance
