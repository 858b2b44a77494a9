// SPDX-License-Identifier: Apache-2.0
// Counts, sizes, shares and reasons in words.
#include "conformance/reports/wording.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// "fp32 and bf16-P": the default classes that allow a kernel less than it declares.
std::string tighter_classes(const KernelRun& run) {
  std::set<std::string> names;
  for (const auto& [formats, declared] : run.classes)
    if (!declared.looser.empty()) names.insert(declared.name);
  return fmt::format("{}", fmt::join(names, " and "));
}

/// " by its own conventions: empty_rows=nan, lse=log2"; nothing of a kernel that follows the rules.
std::string by_conventions(const KernelRun& run) {
  std::vector<std::string> own;
  for (const DeclaredConvention& convention : run.conventions) own.push_back(convention.text());
  return own.empty() ? "" : fmt::format(" by its own conventions: {}", fmt::join(own, ", "));
}

}  // namespace

std::string would_pass_text(const SufficientDeclaration& declaration) {
  if (declaration.declares.empty())
    return fmt::format("no roundoff or error that could be declared, up to 1/8, explains it by itself ({} answers)",
                       declaration.problems);
  const std::string says = declaration.says.empty() ? "" : fmt::format(": {}", fmt::join(declaration.says, ", and "));
  return fmt::format("would pass with --declare={}{} ({} answers are within those bounds)",
                     quoted(declaration.declares), says, declaration.problems);
}

std::string lean_text(const LeanOverRun& lean) {
  return fmt::format("{}: {:.2g} +- {:.2g} over {} problems; evidence 1e{:.1f} of the 1e{:.0f} that would convict",
                     lean.statistic, lean.lean, lean.deviation + lean.systematic, lean.problems, lean.log10_evidence,
                     std::log10(LeanOverRun::runs_per_false_alarm));
}

std::string again_text(const Failure& failure, const KernelRun& run) {
  if (!failure.again) return failure.property && run.cut_short ? fmt::format("not run: {}", text(*run.cut_short)) : "";
  const Rerun& again = *failure.again;
  if (!again.before.empty()) return "fails again, and not without the call before: what an earlier call leaves matters";
  if (again.failed == again.runs) return "fails again";
  return fmt::format("failed {} of {} times", again.failed, again.runs);
}

std::string faults_text(const KernelRun& run) {
  std::vector<std::string> parts;
  for (const auto& [name, times] : run.faults) parts.push_back(fmt::format("{} happened {} times", name, times));
  return fmt::format("{}", fmt::join(parts, ", "));
}

index count_of(const Counts& counts, Outcome outcome) {
  const auto found = counts.find(outcome);
  return found == counts.end() ? 0 : found->second;
}

std::string headline(const KernelRun& run) {
  if (!run.failures.empty()) return "does not conform" + by_conventions(run);
  if (!run.own_failures.empty()) return "no verdict: attestone itself failed";
  if (run.cut_short) return "no verdict: the run was cut short";
  if (!run.decided()) return run.counts.contains(Outcome::inconclusive) ? "nothing was decided" : "nothing ran";
  return (run.is_looser() ? "conforms to what it declares, which is looser than " + tighter_classes(run) : "conforms") +
         by_conventions(run);
}

std::string invariant_text(const KernelRun& run) {
  Invariance declared = Invariance::none, judged = Invariance::none;
  for (const auto& [formats, of_format] : run.classes) declared = declared | of_format.invariant;
  for (const auto& [name, counts] : run.by_property)
    if (const Property* property = Registry<Property>::find(name)) judged = judged | property->invariance;
  std::vector<std::string> parts;
  for (const bool is_judged : {true, false}) {
    std::vector<std::string_view> names;
    for (const InvarianceWord& word : invariance_words())
      if (includes(declared, word.invariance) && includes(judged, word.invariance) == is_judged)
        names.push_back(word.name);
    if (!names.empty())
      parts.push_back(fmt::format("{}: declared, {}", fmt::join(names, ", "),
                                  is_judged ? "and judged bit by bit" : "but not judged"));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string incomplete_text(const KernelRun& run) {
  if (run.complete) return {};
  const std::string_view why = run.cut_short ? text(*run.cut_short) : "a failure ended the run";
  const std::string left_out =
      run.left_out > 0 ? fmt::format(", {} of {} problems left out", run.left_out, run.problems) : "";
  const std::string features = run.features_left_out.empty() ? ""
                                                             : fmt::format("; nothing was asked about {}",
                                                                           fmt::join(run.features_left_out, ", "));
  return fmt::format("incomplete: {}{}{}", why, left_out, features);
}

std::string bytes_text(index count) {
  if (count < 1024) return fmt::format("{} B", count);
  if (count < 1024 * 1024) return fmt::format("{:.1f} KiB", static_cast<double>(count) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(count) / (1024 * 1024));
}

std::string memory_text(const Case& measured) {
  const Memory& memory = *measured.verdict.memory;
  return fmt::format("peak workspace {} (documented: {}), with tensors {}, at {}", bytes_text(memory.peak.bytes),
                     bytes_text(memory.documented), bytes_text(memory.total()), measured.problem.text());
}

std::vector<std::string> device_texts(const Case& measured) {
  const std::vector<MeasuredDevice>& devices = measured.verdict.memory->devices;
  std::vector<std::string> lines;
  for (std::size_t first = 0, end; first < devices.size(); first = end) {
    const DeviceUse &one = devices[first].measured, &documented = devices[first].documented;
    const auto alike = [&](const MeasuredDevice& other) {
      return other.measured == one && other.documented == documented;
    };
    for (end = first + 1; end < devices.size() && alike(devices[end]);) ++end;
    const std::string ranks =
        end == first + 1 ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, end - 1);
    const bool less = one.peak.bytes < documented.peak.bytes;
    lines.push_back(fmt::format("{}: {} messages, {} sent, peak {}{}", ranks, one.messages, bytes_text(one.bytes),
                                bytes_text(one.peak.bytes),
                                less ? fmt::format(" (documented: {})", bytes_text(documented.peak.bytes)) : ""));
  }
  return lines;
}

std::string share_text(double share) {
  if (!(share < 1e6)) return "more than 1e6";
  const std::string text = fmt::format("{:.3g}", share);
  return text == "1" && share > 1 ? fmt::format("{:.6g}", share) : text;
}

std::string distance_text(const Verdict& verdict) {
  if (!verdict.worst || verdict.outcome != Outcome::failed) return {};
  return fmt::format("off by {:.3g} ulp: {} times the deterministic bound, {} times the probabilistic one",
                     verdict.worst->ulps, share_text(verdict.worst->r_det), share_text(verdict.worst->r_prob));
}

std::string where_text(const Failure& failure) {
  std::vector<std::string> parts;
  for (const TensorAccuracy& tensor : failure.by_place)
    if (tensor.all.beyond_bound > 0)
      parts.push_back(fmt::format("{}: {} ({} of {}{})", tensor.tensor, tensor.where, tensor.all.beyond_bound,
                                  tensor.all.elements, parts.empty() ? " elements beyond their bound" : ""));
  const auto worst = std::ranges::max_element(failure.by_place, {}, &TensorAccuracy::r_det);
  if (parts.empty() && worst != failure.by_place.end())
    parts.push_back(fmt::format("{}: {} (the largest errors, up to {:.3g} of the deterministic bound)", worst->tensor,
                                worst->where, worst->all.r_det));
  if (!parts.empty() && failure.first != failure.least) parts.push_back("at " + failure.first.text());
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string when_text(const Circumstances& circumstances) {
  std::vector<std::string> parts;
  if (!circumstances.only_with.empty())
    parts.push_back(fmt::format("only with {}", fmt::join(circumstances.only_with, ", and with ")));
  if (!circumstances.only_if.empty())
    parts.push_back(fmt::format("only if {}", fmt::join(circumstances.only_if, ", and ")));
  if (parts.empty()) return {};
  return fmt::format("{} ({} further calls)", fmt::join(parts, "; "), circumstances.calls);
}

std::string kind_text(const NamedKind& kind) {
  return fmt::format("{}: {} ({} predictions came true)", kind.name, kind.says, kind.predictions);
}

std::string_view look_at(const Verdict& verdict) {
  const Reason* reason = Registry<Reason>::find(verdict.reason);
  return reason ? reason->look_at : std::string_view();
}

std::string name_of(const Failure& failure) {
  return failure.property ? std::string(failure.property->name) : failure.verdict.reason;
}

std::string coverage_text(const std::string& feature, const Counts& counts) {
  const index conclusive = count_of(counts, Outcome::passed) + count_of(counts, Outcome::failed);
  const index refused = count_of(counts, Outcome::skipped);
  return fmt::format("{} {}{}", feature, conclusive, refused ? fmt::format(" ({} refused)", refused) : "");
}

std::vector<std::string> reach_texts(const KernelRun& run) {
  std::vector<std::string> all;
  for (const bool gradients : {false, true}) {
    std::vector<std::string> parts;
    const Reach reach = common_reach(run.reach, gradients);
    for (std::size_t axis = 0; axis < reach.size(); ++axis)
      if (reach[axis] >= 0) parts.push_back(fmt::format("{} {}", axes_of_reach[axis], reach[axis]));
    if (!parts.empty())
      all.push_back(fmt::format("{} of every format up to {}", gradients ? "gradients" : "O", fmt::join(parts, ", ")));
  }
  return all;
}

}  // namespace attestone::inline conformance
