// SPDX-License-Identifier: Apache-2.0
// The report that people read.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <ostream>
#include <set>

#include "conformance/reports/causes.hpp"
#include "conformance/reports/wording.hpp"
#include "conformance/reports/wrapped.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// Words in colour where the style asks for it.
class Paint {
 public:
  explicit Paint(const Style& style) : colour_(style.colour) {}
  std::string good(const std::string& text) const { return in("32", text); }
  std::string bad(const std::string& text) const { return in("1;31", text); }

 private:
  std::string in(const char* code, const std::string& text) const {
    return colour_ ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }
  bool colour_;
};

/// A kernel's words, with a mark before every line but the first, so that none begins as a line of the report or a
/// command of a service that reads it ("::error", also behind blanks).
std::string indented(std::string_view words) {
  std::string all;
  for (const char c : printable(words)) {
    all += c;
    if (c == '\n') all += "  | ";
  }
  return all;
}

void write_properties(const KernelRun& run, std::ostream& out) {
  out << fmt::format("  {:<24}{:>8}{:>8}{:>14}\n", "property", "passed", "failed", "inconclusive");
  for (const auto& [name, counts] : run.by_property)
    out << fmt::format("  {:<24}{:>8}{:>8}{:>14}\n", name, count_of(counts, Outcome::passed),
                       count_of(counts, Outcome::failed), count_of(counts, Outcome::inconclusive));
}

/// Writes in one line how much passed.
void write_properties_in_short(const KernelRun& run, std::ostream& out) {
  out << fmt::format("  {} properties: {} cases passed, {} inconclusive   (--verbose lists them)\n",
                     run.by_property.size(), count_of(run.counts, Outcome::passed),
                     count_of(run.counts, Outcome::inconclusive));
}

/// Inputs as they are usually drawn. All other fills are aimed at something, and most at large errors.
bool is_usual(const std::string& fill) { return fill == "normal" || fill == "uniform"; }

void write_accuracy_of(const KernelRun& run, const std::string& of,
                       const std::function<bool(const std::string&)>& takes, std::ostream& out) {
  for (const auto& [dtype, a] : worst_accuracy(run, takes))
    out << fmt::format("  {:<18}{:>10.3g}{:>10.3g}{:>10.3g}{:>10.3g}{:>11.2e}{:>11.2e}{:>14.2e}{:>13.2e}   {}\n", dtype,
                       a.max_ulp, a.p99_ulp, a.r_det, a.r_prob, a.rmse, a.relative_l1, 1 - a.cosine, a.signed_mean, of);
}

/// The worst of all cases with usual inputs, and of all others: fill by fill, or together.
void write_accuracy(const KernelRun& run, bool by_fill, std::ostream& out) {
  if (worst_accuracy(run).empty()) return;
  out << fmt::format("\n  {:<18}{:>10}{:>10}{:>10}{:>10}{:>11}{:>11}{:>14}{:>13}   (worst of these)\n", "accuracy",
                     "max ulp", "p99 ulp", "r_det", "r_prob", "RMSE", "rel. L1", "1 - cosine", "signed mean");
  std::set<std::string> fills;
  for (const Case& c : run.cases) fills.insert(c.problem.fill.name);
  if (!by_fill) {
    write_accuracy_of(run, "(usual inputs)", is_usual, out);
    write_accuracy_of(
        run, "(aimed inputs)", [](const std::string& fill) { return !is_usual(fill); }, out);
    return;
  }
  for (const std::string& fill : fills)
    write_accuracy_of(
        run, fill, [&](const std::string& each) { return each == fill; }, out);
}

void write_memory(const KernelRun& run, bool backward, std::ostream& out) {
  const Case* largest = largest_memory(run, backward);
  if (!largest) return;
  out << fmt::format("{}{}\n", backward ? "  backward  " : "\n  memory    ", memory_text(*largest));
  for (const std::string& line : device_texts(*largest)) out << "            " << line << '\n';
}

/// How many features were covered, and the reasons of most refusals.
void write_coverage_in_short(const KernelRun& run, std::ostream& out) {
  constexpr std::size_t most_reasons = 3;
  out << fmt::format("\n  coverage  {} features in conclusive cases   (--verbose lists them)\n", run.coverage.size());
  std::vector<std::pair<index, std::string>> reasons;
  for (const auto& [why, problems] : run.refusals) reasons.emplace_back(problems, why);
  std::ranges::stable_sort(reasons, std::greater{}, &std::pair<index, std::string>::first);
  for (std::size_t n = 0; n < std::min(most_reasons, reasons.size()); ++n)
    out << fmt::format("  refused   {} problems: {}\n", reasons[n].first, indented(reasons[n].second));
  if (reasons.size() > most_reasons)
    out << fmt::format("  refused   others for {} more reasons\n", reasons.size() - most_reasons);
}

void write_coverage(const KernelRun& run, std::ostream& out) {
  std::vector<std::string> parts;
  for (const auto& [feature, counts] : run.coverage) parts.push_back(coverage_text(feature, counts));
  std::string line = "  coverage ";
  out << '\n';
  for (const std::string& part : parts) {
    if (line.size() + part.size() > 118) {
      out << line << '\n';
      line = "           ";
    }
    line += " " + part + ",";
  }
  if (!parts.empty()) line.pop_back();
  out << line << '\n';
  for (const std::string& reach : reach_texts(run)) out << "  reach     " << reach << '\n';
  for (const auto& [why, problems] : run.refusals)
    out << fmt::format("  refused   {} problems: {}\n", problems, indented(why));
}

/// One line for each setting: every change stands in the json report.
void write_adjustments(const KernelRun& run, std::ostream& out) {
  std::map<std::string, std::pair<const Adjustment*, index>> by_setting;
  for (const auto& [adjustment, problems] : run.adjustments) {
    auto& [first, all] = by_setting[adjustment.setting];
    if (!first) first = &adjustment;
    all += problems;
  }
  for (const auto& [setting, seen] : by_setting)
    out << fmt::format("  adjusted  {} in {} problems, as {} -> {}: {}\n", setting, seen.second, seen.first->from,
                       seen.first->to, seen.first->why);
}

void write_times(const KernelRun& run, std::ostream& out) {
  if (run.cases.empty()) return;
  const auto cases = static_cast<double>(run.cases.size());
  out << fmt::format(
      "  time      {:.1f} s, {:.0f} cases/s, {:.0f} % in the truth and its bounds, {:.0f} % in the kernel\n",
      run.seconds, cases / run.seconds, 100 * run.times.truth / run.times.all, 100 * run.times.kernel / run.times.all);
}

/// Which elements are wrong, when, and the kind of fault.
void write_circumstances(const Circumstances& circumstances, std::ostream& out) {
  if (!circumstances.pattern.empty()) out << wrapped("  pattern   ", circumstances.pattern);
  if (const std::string when = when_text(circumstances); !when.empty()) out << wrapped("  when      ", when);
  for (const NamedKind& kind : circumstances.kinds) {
    out << wrapped("  kind      ", kind_text(kind));
    out << wrapped("            look at ", kind.look_at);
  }
}

void write_cause(const Cause& cause, const KernelRun& run, const Paint& paint, std::ostream& out) {
  const Failure& failure = *cause.failure;
  const Verdict& verdict = cause.failure->verdict;
  out << '\n' << paint.bad("FAILED") << ' ' << name_of(failure);
  if (failure.property)
    out << fmt::format("  \"{}\"{}", failure.property->claim,
                       failure.count > 1 ? fmt::format("  ({} cases)", failure.count) : "");
  out << "\n  " << indented(verdict.evidence) << '\n';
  if (const std::string distance = distance_text(verdict); !distance.empty()) out << "  " << distance << '\n';
  if (const std::string where = where_text(failure); !where.empty()) out << wrapped("  where     ", where);
  if (const std::string derived = repro_of_derived(failure); !derived.empty())
    out << "  look at   the other problem, which is wrong by itself: " << derived << '\n';
  else if (const std::string_view place = look_at(verdict); !place.empty())
    out << fmt::format("  look at   {}   (attestone explain {})\n", place, verdict.reason);
  if (cause.shared) out << wrapped("  shared    ", text(*cause.shared));
  for (const Failure* each : failures_of(cause)) write_circumstances(each->circumstances, out);
  if (const std::string repro = repro_of(failure); !repro.empty()) out << "  repro     " << repro << '\n';
  if (const std::string again = again_text(failure, run); !again.empty()) out << "            (" << again << ")\n";
  if (!cause.others.empty()) out << wrapped("  also failed by: ", others_text(cause));
}

void write_would_pass(const KernelRun& run, std::ostream& out) {
  if (run.would_pass) out << "\n  " << would_pass_text(*run.would_pass) << '\n';
}

/// Several findings are alternatives: the problems that were tried do not tell which of them it is.
void write_findings(const KernelRun& run, const Paint& paint, std::ostream& out) {
  if (run.findings.size() > 1)
    out << '\n' << paint.bad("matches one of these") << ", which answer alike on the problems that were tried:\n";
  for (const Finding& finding : run.findings)
    if (run.findings.size() > 1)
      out << fmt::format("  '{}': {}\n    look at   {}\n", finding.name, finding.says, finding.look_at);
    else
      out << fmt::format("\n{}: {}\n  look at   {}\n", paint.bad("matches '" + finding.name + "'"), finding.says,
                         finding.look_at);
}

/// More properties than this do not fit on a screen beside the rest.
constexpr std::size_t most_properties = 12;

void write_run(const KernelRun& run, const Paint& paint, bool verbose, std::ostream& out) {
  const std::string words = headline(run);
  const std::string verdict = run.conforms() ? paint.good(words) : run.failures.empty() ? words : paint.bad(words);
  out << fmt::format("\n{}: {}{}\n", run.kernel, verdict,
                     run.complete ? "" : fmt::format("   ({})", incomplete_text(run)));
  for (const std::string& looser : looser_texts(run)) out << wrapped("  ", looser);
  for (const std::string& own : convention_texts(run)) out << wrapped("  ", own);
  if (run.uses_attestone) out << wrapped("  ", std::string(own_answers_text));
  for (const std::string& cause : run.own_failures) out << "  " << printable(cause) << '\n';
  out << '\n';
  const bool in_short = !verbose && run.conforms();
  if (in_short && run.by_property.size() > most_properties)
    write_properties_in_short(run, out);
  else
    write_properties(run, out);
  write_accuracy(run, verbose, out);
  for (const bool backward : {false, true}) write_memory(run, backward, out);
  in_short ? write_coverage_in_short(run, out) : write_coverage(run, out);
  for (const auto& [property, why] : run.inconclusive)
    out << fmt::format("  inconclusive: {} ({})\n", property, printable(why));
  write_adjustments(run, out);
  if (const std::string invariant = invariant_text(run); !invariant.empty()) out << wrapped("  invariant ", invariant);
  if (const std::string faults = faults_text(run); !faults.empty()) out << wrapped("  faults    ", faults);
  if (run.lean) out << wrapped("  lean      ", lean_text(*run.lean));
  write_times(run, out);
  for (const Cause& cause : causes(run)) write_cause(cause, run, paint, out);
  write_findings(run, paint, out);
  if (!run.read_out.empty()) out << '\n';
  for (const std::string& line : run.read_out) out << "  " << line << '\n';
  write_would_pass(run, out);
}

void write(const Report& report, const Style& style, std::ostream& out) {
  const Paint paint(style);
  out << fmt::format("attestone {}, instruction set {}, {}\n", report.version, report.instruction_set, report.suite);
  for (const KernelRun& run : report.runs) write_run(run, paint, style.verbose, out);
}

const Registration<ReportFormat> registered{{
    .name = "text",
    .extension = "txt",
    .summary = "for people",
    .write = write,
}};

}  // namespace
}  // namespace attestone::inline conformance
