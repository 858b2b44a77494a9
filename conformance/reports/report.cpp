// SPDX-License-Identifier: Apache-2.0
// The parts that every format of a report needs.
#include "conformance/reports/report.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::inline conformance {

bool Report::conforms() const { return !runs.empty() && std::ranges::all_of(runs, &KernelRun::conforms); }
bool Report::decided() const { return std::ranges::any_of(runs, &KernelRun::decided); }

std::map<std::string, Accuracy> worst_accuracy(const KernelRun& run) {
  return worst_accuracy(run, [](const std::string&) { return true; });
}

std::map<std::string, Accuracy> worst_accuracy(const KernelRun& run,
                                               const std::function<bool(const std::string&)>& takes) {
  std::map<std::string, Accuracy> worst;
  for (const Case& c : run.cases) {
    if (!c.verdict.accuracy || !takes(c.problem.fill.name)) continue;
    const Accuracy& a = *c.verdict.accuracy;
    Accuracy& w = worst[accuracy_format(*c.property, c.problem)];
    for (const auto metric : {&Accuracy::max_ulp, &Accuracy::p99_ulp, &Accuracy::r_det, &Accuracy::r_prob,
                              &Accuracy::rmse, &Accuracy::relative_l1})
      w.*metric = std::max(w.*metric, a.*metric);
    w.cosine = std::min(w.cosine, a.cosine);
    if (std::abs(a.signed_mean) > std::abs(w.signed_mean)) w.signed_mean = a.signed_mean;
  }
  return worst;
}

const Case* largest_memory(const KernelRun& run, bool backward) {
  const Case* largest = nullptr;
  for (const Case& c : run.cases)
    if (c.verdict.memory && c.verdict.memory->backward == backward &&
        (!largest || c.verdict.memory->total() > largest->verdict.memory->total()))
      largest = &c;
  return largest;
}

ExitStatus status_of(const Report& report, bool allow_incomplete) {
  const auto any = [&](auto holds) { return std::any_of(report.runs.begin(), report.runs.end(), holds); };
  if (any([](const KernelRun& run) { return !run.own_failures.empty(); })) return ExitStatus::internal_error;
  if (any([](const KernelRun& run) { return !run.failures.empty(); })) return ExitStatus::does_not_conform;
  const bool cut_short = report.runs.empty() || any([](const KernelRun& run) { return run.cut_short.has_value(); });
  if (cut_short && !allow_incomplete) return ExitStatus::cut_short;
  return report.decided() ? ExitStatus::ok : ExitStatus::nothing_ran;
}

}  // namespace attestone::inline conformance
