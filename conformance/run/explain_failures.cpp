// SPDX-License-Identifier: Apache-2.0
// Asking a kernel that failed further questions.
#include "conformance/run/explain_failures.hpp"

#include "conformance/diagnosis/probes/read_out.hpp"
#include "conformance/run/case.hpp"
#include "conformance/run/explain_by_declaration.hpp"
#include "conformance/verdict/shrink.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// How often a line is run again that does not fail each time.
constexpr index most_runs = 5;

/// One failure of a run, and the verdicts on problems near its own, of the kernel and of the same on fewer devices.
class FailureOfKernel {
 public:
  FailureOfKernel(const Kernel& kernel, Ledger& ledger, const Stop& stop, std::size_t number)
      : kernel_(SharedKernel(), &kernel),
        least_kernel_(kernel_),
        ledger_(ledger),
        stop_(stop),
        number_(number),
        first_(failure().first),
        first_verdict_(failure().verdict) {}

  const Failure& failure() const { return ledger_.run().failures[number_]; }

  /// Walks down from the first problem; the ledger knows every step that still fails for the same reason.
  void shrink_here(bool fresh) {
    least_kernel_ = kernel_;
    tell(first_, first_verdict_);
    use_fewer_devices(first_, fresh);
    const Problem least =
        shrink(first_, [&](const Problem& smaller) { return fails_alike(least_kernel_, smaller, fresh); });
    use_fewer_devices(least, fresh);
  }

  /// Notes whether the line that the report will show fails, and how often.
  void run_again() {
    const Problem least = failure().least;
    Rerun again{fails_afresh({least}), 1};
    for (const Problem& before : {least, first_})
      if (again.failed == 0 && fails_afresh({before, least})) again = {1, 1, {before}};
    while (again.failed < again.runs && again.runs < most_runs) ++again.runs, again.failed += fails_afresh({least});
    ledger_.note_rerun(number_, std::move(again));
  }

  void confirm_or_shrink_afresh(bool& fresh_starts) {
    if (fails_alike(least_kernel_, Problem(failure().least), fresh_starts)) return;
    fresh_starts = true;
    least_kernel_ = kernel_;
    tell(first_, first_verdict_);
    // A kernel whose fault depends on what was called before may pass now: the first verdict stands.
    if (fails_alike(kernel_, first_, true)) shrink_here(true);
  }

 private:
  /// True if the last of these problems fails, asked one after the other in a fresh process.
  bool fails_afresh(const std::vector<Problem>& problems) {
    least_kernel_->restart();
    bool fails = false;
    for (const Problem& problem : problems) {
      stop_.check();
      fails = examine_case(*least_kernel_, *failure().property, problem).outcome == Outcome::failed;
    }
    return fails;
  }

  /// True if the problem fails for the reason of this failure; the ledger is told if it does.
  bool fails_alike(const SharedKernel& kernel, const Problem& problem, bool fresh) {
    stop_.check();
    if (fresh) kernel->restart();
    const Verdict verdict = examine_case(*kernel, *failure().property, problem);
    const bool alike = verdict.outcome == Outcome::failed && verdict.reason == first_verdict_.reason;
    if (!alike) return false;
    least_kernel_ = kernel;
    tell(problem, verdict);
    return true;
  }

  void use_fewer_devices(const Problem& problem, bool fresh) {
    for (const SharedKernel& fewer : least_kernel_->on_fewer_devices())
      if (fails_alike(fewer, problem, fresh)) return;
  }

  void tell(const Problem& problem, const Verdict& verdict) {
    ledger_.shrink_to(number_, problem, verdict, least_kernel_->devices());
  }

  SharedKernel kernel_, least_kernel_;
  Ledger& ledger_;
  const Stop& stop_;
  std::size_t number_;
  Problem first_;
  Verdict first_verdict_;
};

}  // namespace

void reproduce_failures(const Kernel& kernel, Ledger& ledger, const Stop& stop, bool shrink) {
  std::vector<FailureOfKernel> failures;
  for (std::size_t number = 0; number < ledger.run().failures.size(); ++number)
    if (!answers_no_questions(ledger.run().failures[number].verdict))
      failures.emplace_back(kernel, ledger, stop, number);
  if (failures.empty()) return;
  if (shrink) {
    for (FailureOfKernel& failure : failures) failure.shrink_here(false);
    // One start serves them all, as long as none of them depends on it.
    kernel.restart();
    bool fresh_starts = false;
    for (FailureOfKernel& failure : failures) failure.confirm_or_shrink_afresh(fresh_starts);
  }
  for (FailureOfKernel& failure : failures) failure.run_again();
}

/// The other problems of relations that failed, each by itself: what fails the value bound there says more.
void ask_derived_problems(const Kernel& kernel, Ledger& ledger, const Stop& stop) {
  const Property& bound = *Registry<Property>::find("value_bound");
  for (std::size_t number = 0; number < ledger.run().failures.size(); ++number) {
    const auto derived = ledger.run().failures[number].verdict.derived;
    if (!derived) continue;
    stop.check();
    if (examine_case(kernel, bound, *derived).outcome != Outcome::failed) continue;
    ledger.explain_by(number, *derived);
    if (ledger.run().findings.empty()) ledger.explain(diagnose(kernel, *derived), {});
  }
}

void diagnose_failures(const Kernel& kernel, Ledger& ledger, const Stop& stop) {
  bool misreads = false;  // masks or scores
  for (const Failure& failure : ledger.run().failures) {
    if (!failure.property || answers_no_questions(failure.verdict)) continue;
    try {
      stop.check();
      if (ledger.run().findings.empty()) ledger.explain(diagnose(kernel, failure.first), {});
      for (const Problem* problem : {&failure.first, &failure.least}) {
        stop.check();
        if (!ledger.run().read_out.empty()) continue;
        ledger.explain({}, read_out(kernel, *problem));
        misreads = !ledger.run().read_out.empty();
        if (!misreads) ledger.explain({}, precision_read_out(kernel, *problem));
      }
    } catch (...) {
      rethrow_unless_of_kernel(std::current_exception());  // a kernel that misbehaves has no answer to diagnose
    }
  }
  try {
    ask_derived_problems(kernel, ledger, stop);
  } catch (...) {
    rethrow_unless_of_kernel(std::current_exception());
  }
  if (ledger.run().findings.empty() && !misreads) find_declaration(kernel, ledger, stop);
}

}  // namespace attestone::inline conformance
