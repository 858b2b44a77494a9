// SPDX-License-Identifier: Apache-2.0
// Asking a kernel that failed further questions.
#include "conformance/run/explain_failures.hpp"

#include "conformance/diagnosis/probes/read_out.hpp"
#include "conformance/run/case.hpp"
#include "conformance/verdict/shrink.hpp"

namespace attestone {
namespace {

/// One failure of a run, and the verdicts on problems near its own.
class FailureOfKernel {
 public:
  FailureOfKernel(const Kernel& kernel, Ledger& ledger, const Stop& stop, std::size_t number)
      : kernel_(kernel),
        ledger_(ledger),
        stop_(stop),
        number_(number),
        first_(failure().first),
        first_verdict_(failure().verdict) {}

  const Failure& failure() const { return ledger_.run().failures[number_]; }

  /// Walks down from the first problem; the ledger knows every step that still fails for the same reason.
  void shrink_here(bool fresh) {
    ledger_.shrink_to(number_, first_, first_verdict_);
    shrink(first_, [&](const Problem& smaller) { return fails_alike(smaller, fresh); });
  }

  /// Whether the problem fails for the reason of this failure; the ledger is told if it does.
  bool fails_alike(const Problem& problem, bool fresh) {
    stop_.check();
    if (fresh) kernel_.restart();
    const Verdict verdict = examine_case(kernel_, *failure().property, problem);
    const bool alike = verdict.outcome == Outcome::failed && verdict.reason == first_verdict_.reason;
    if (alike) ledger_.shrink_to(number_, problem, verdict);
    return alike;
  }

  void confirm_or_shrink_afresh(bool& fresh_starts) {
    if (fails_alike(Problem(failure().least), fresh_starts)) return;
    fresh_starts = true;
    ledger_.shrink_to(number_, first_, first_verdict_);
    // A kernel whose fault depends on what was called before may pass now: the first verdict stands.
    if (fails_alike(first_, true)) shrink_here(true);
  }

 private:
  const Kernel& kernel_;
  Ledger& ledger_;
  const Stop& stop_;
  std::size_t number_;
  Problem first_;
  Verdict first_verdict_;
};

}  // namespace

void shrink_failures(const Kernel& kernel, Ledger& ledger, const Stop& stop) {
  std::vector<FailureOfKernel> failures;
  for (std::size_t number = 0; number < ledger.run().failures.size(); ++number)
    if (!costs_time(ledger.run().failures[number].verdict)) failures.emplace_back(kernel, ledger, stop, number);
  for (FailureOfKernel& failure : failures) failure.shrink_here(false);
  // One start serves them all, as long as none of them depends on it.
  kernel.restart();
  bool fresh_starts = false;
  for (FailureOfKernel& failure : failures) failure.confirm_or_shrink_afresh(fresh_starts);
}

void diagnose_failures(const Kernel& kernel, Ledger& ledger, const Stop& stop) {
  for (const Failure& failure : ledger.run().failures) {
    if (!failure.property || costs_time(failure.verdict)) continue;
    try {
      stop.check();
      if (ledger.run().findings.empty()) ledger.explain(diagnose(kernel, failure.first), {});
      for (const Problem* problem : {&failure.first, &failure.least}) {
        stop.check();
        if (ledger.run().read_out.empty()) ledger.explain({}, read_out(kernel, *problem));
      }
    } catch (const KernelFault&) {  // what misbehaves has no answer to diagnose
    } catch (const KernelRefusal&) {
    }
  }
}

}  // namespace attestone
