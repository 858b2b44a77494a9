// SPDX-License-Identifier: Apache-2.0
// Failures of a whole run.
#include "conformance/run/conclusions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/run/case.hpp"
#include "conformance/run/turns.hpp"
#include "conformance/verdict/shrink.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// So many of a property's cases are asked whether they could have told: they differ little in that.
constexpr index most_asked = 16;

bool is_inconclusive_of(const Case& one, const Property* property) {
  return one.property == property && one.verdict.outcome == Outcome::inconclusive;
}

bool could_decide(const KernelRun& run, const Kernel& kernel, const Property* property) {
  index asked = 0;
  return std::any_of(run.cases.begin(), run.cases.end(), [&](const Case& one) {
    return is_inconclusive_of(one, property) && asked++ < most_asked && decidable(*property, kernel, one.problem);
  });
}

void conclude_property(const std::string& name, index cases, const Kernel& kernel, const RunOptions& options,
                       Ledger& ledger) {
  const KernelRun& run = ledger.run();
  const Property* property = Registry<Property>::find(name);
  // A property that takes turns may just not have met a problem that suits it.
  if (property && property->relation && in_turns(options)) return;
  const auto first = std::find_if(run.cases.begin(), run.cases.end(), [&](const Case& one) {
    return one.property->name == name && one.verdict.outcome == Outcome::inconclusive;
  });
  if (first->verdict.reason == "property-error") return;  // stands among our own failures
  if (options.suite && could_decide(run, kernel, first->property))
    ledger.add_failure("never-conclusive",
                       fmt::format("{}: {} cases, none of which could tell right from wrong", name, cases));
  else
    ledger.add_inconclusive(name, first->verdict.evidence);
}

bool has(const Problem& problem, const std::string& feature) {
  const std::vector<std::string> features = features_of(problem);
  return std::find(features.begin(), features.end(), feature) != features.end();
}

/// True if the kernel's limits give the same reason for the problem without the feature, as far as that can be said.
bool is_beside(const Refusal& refusal, const std::string& feature, const Kernel& kernel) {
  const std::vector<Problem> plainer = smaller(refusal.problem);
  return std::any_of(plainer.begin(), plainer.end(), [&](const Problem& problem) {
    if (has(problem, feature)) return false;
    const Support support = kernel.takes(problem);
    return !support && support.why == refusal.why;
  });
}

/// True if the refusal is one of the feature, and not of formats or of something beside it.
bool counts(const Refusal& refusal, const std::string& feature, const Kernel& kernel, const Ledger& ledger) {
  if (!has(refusal.problem, feature)) return false;
  if (refusal.declared) return !is_beside(refusal, feature, kernel);
  return ledger.answered_formats().count(dtype_text(refusal.problem)) > 0;
}

void conclude_feature(const std::string& feature, const Kernel& kernel, Ledger& ledger) {
  const auto refused = std::count_if(ledger.refused().begin(), ledger.refused().end(),
                                     [&](const Refusal& refusal) { return counts(refusal, feature, kernel, ledger); });
  const auto covered = ledger.run().coverage.find(feature);
  const auto cases = [&](Outcome outcome) {
    if (covered == ledger.run().coverage.end()) return index{0};
    const auto found = covered->second.find(outcome);
    return found == covered->second.end() ? index{0} : found->second;
  };
  if (refused > 0)
    ledger.add_failure("required", fmt::format("refused {} problems with '{}'", refused, feature));
  else if (cases(Outcome::passed) + cases(Outcome::failed) == 0)
    ledger.add_failure("required", fmt::format("no conclusive case with '{}'", feature));
}

void conclude_class(Ledger& ledger) {
  if (ledger.run().is_looser())
    ledger.add_failure("required", fmt::format("declares arithmetic {}", fmt::join(looser_texts(ledger.run()), "; ")));
}

void conclude_conventions(Ledger& ledger) {
  if (!ledger.run().conventions.empty())
    ledger.add_failure("required", fmt::format("declares conventions of its own: {}",
                                               fmt::join(convention_texts(ledger.run()), "; ")));
}

/// The line that shows it again: the two properties that tell deviations, on the same problems.
std::string rerun_line(const KernelRun& run, const RunOptions& options) {
  if (options.asked.empty()) return {};
  return fmt::format("attestone run {} --property=gain --property=gradient_gain {}", run.option, options.asked);
}

void conclude_lean(const RunOptions& options, Ledger& ledger) {
  const KernelRun& run = ledger.run();
  ledger.note_lean(lean_over_run(run.cases));
  if (run.failures.empty() && run.lean && run.lean->convicts())
    ledger.add_failure("leans", run.lean->told(), rerun_line(run, options));
}

}  // namespace

void conclude(const Kernel& kernel, const RunOptions& options, Ledger& ledger) {
  const KernelRun& run = ledger.run();
  conclude_lean(options, ledger);
  if (!run.failures.empty()) return;
  for (const auto& [name, counts] : std::map(run.by_property)) {
    const auto inconclusive = counts.find(Outcome::inconclusive);
    if (inconclusive != counts.end() && !counts.count(Outcome::passed) && !counts.count(Outcome::failed))
      conclude_property(name, inconclusive->second, kernel, options, ledger);
  }
  for (const std::string& feature : options.required)
    if (feature == default_class)
      conclude_class(ledger);
    else if (feature == default_conventions)
      conclude_conventions(ledger);
    else
      conclude_feature(feature, kernel, ledger);
}

}  // namespace attestone::inline conformance
