// SPDX-License-Identifier: Apache-2.0
// What every format of a report needs.
#include "conformance/report.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {

bool Report::conforms() const { return std::ranges::all_of(runs, &KernelRun::conforms); }
bool Report::ran() const { return std::ranges::any_of(runs, &KernelRun::ran); }

std::string dtype_text(const Problem& problem) {
  const std::string input(problem.input.name);
  return problem.input == problem.output ? input : input + ">" + std::string(problem.output.name);
}

std::map<std::string, Accuracy> worst_accuracy(const KernelRun& run) {
  std::map<std::string, Accuracy> worst;
  for (const Case& c : run.cases) {
    if (!c.verdict.accuracy) continue;
    const Accuracy& a = *c.verdict.accuracy;
    const bool of_gradients = c.property->name.starts_with("gradient");
    Accuracy& w = worst[dtype_text(c.problem) + (of_gradients ? " gradients" : "")];
    for (const auto metric : {&Accuracy::max_ulp, &Accuracy::p99_ulp, &Accuracy::r_det, &Accuracy::r_prob,
                              &Accuracy::rmse, &Accuracy::relative_l1})
      w.*metric = std::max(w.*metric, a.*metric);
    w.cosine = std::min(w.cosine, a.cosine);
    if (std::abs(a.signed_mean) > std::abs(w.signed_mean)) w.signed_mean = a.signed_mean;
  }
  return worst;
}

const Case* largest_memory(const KernelRun& run) {
  const Case* largest = nullptr;
  for (const Case& c : run.cases)
    if (c.verdict.memory && (!largest || c.verdict.memory->total() > largest->verdict.memory->total())) largest = &c;
  return largest;
}

}  // namespace attestone
