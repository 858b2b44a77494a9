// SPDX-License-Identifier: Apache-2.0
// Judging a kernel: problem by problem, property by property; then explaining what failed.
#include "conformance/run/run.hpp"

#include "backends/top_left_causal.hpp"
#include "conformance/problems/by_power.hpp"
#include "conformance/run/case.hpp"
#include "conformance/run/conclusions.hpp"
#include "conformance/run/explain_by_circumstances.hpp"
#include "conformance/run/explain_failures.hpp"
#include "conformance/run/judge_problem.hpp"
#include "conformance/run/side_by_side.hpp"
#include "conformance/run/stop.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone::inline conformance {
namespace {

/// The problems one after the other. Stopped if it is to stop.
void judge_one_by_one(const Kernel& kernel, const RunOptions& options, Ledger& ledger, const Stop& stop) {
  Questions questions(options);
  index begun = 0;
  const Desk desk{[&](const Problem& problem, const Property& property) {
                    stop.check();
                    if (options.progress)
                      options.progress({repro_line(ledger.run().option, property, problem), begun,
                                        std::ssize(options.problems), ledger.run().counts});
                  },
                  [&](const LedgerEntry& entry) {
                    entry(ledger);
                    return ledger.run().complete;
                  }};
  for (const Problem& problem : options.problems) {
    stop.check();
    ++begun;
    if (begin_problem(kernel, problem, desk)) {
      const Turns before = questions.turns();
      const std::vector<Question> about_it = questions.about(problem, kernel);
      if (const auto asked = judge_problem(kernel, problem, about_it, options, desk))
        questions.take_back(before, about_it, *asked);
      if (!ledger.run().complete) return;
    }
    ledger.finish_problem();
  }
}

/// Until the last case, or the failure that ends the run. An outside kernel has one process, which takes one call.
void judge_all(const Kernel& kernel, const RunOptions& options, Ledger& ledger, const Stop& stop) {
  ledger.expect_problems(std::ssize(options.problems));
  const bool one_by_one = options.threads < 2 || options.problems.size() < 2 || kernel.fingerprint();
  (one_by_one ? judge_one_by_one : judge_side_by_side)(kernel, options, ledger, stop);
}

// Of a budget, once a case has failed: the rest is for shrinking it and for its name.
constexpr double part_for_judging = 0.7;

void note_what_is_left_out(const RunOptions& options, Ledger& ledger) {
  const index judged = ledger.run().problems - ledger.run().left_out;
  ledger.leave_out(features_left_out(options.problems, static_cast<std::size_t>(judged)));
}

/// Notes why the run ended before its end: it was stopped, or something of ours failed.
void end_early(const Blamed& blamed, const RunOptions& options, Ledger& ledger, const Stop& stop) {
  if (blamed.whose != Blame::stop) {
    ledger.add_own_failure(blamed.says);
    return ledger.cut_short(CutShort::own_failure);
  }
  ledger.cut_short(stop.reason().value_or(CutShort::interrupted));
  note_what_is_left_out(options, ledger);
}

/// Judges until the last case, or until the time is over that a failure leaves for judging.
void judge_within_its_part(const Kernel& kernel, const RunOptions& options, Ledger& ledger, const Stop& stop) {
  const bool explains = options.explain;
  const Stop judging(options, [&] { return explains && ledger.has_failed() ? part_for_judging : 1.0; });
  try {
    judge_all(kernel, options, ledger, judging);
  } catch (const Stopped&) {
    if (stop.reason()) throw;
    ledger.cut_short(CutShort::budget);
    note_what_is_left_out(options, ledger);
  }
}

}  // namespace

KernelRun examine(const Candidate& candidate, const RunOptions& options) {
  Ledger ledger(candidate);
  examine(*candidate.kernel, options, ledger);
  return ledger.snapshot();
}

void examine(const Kernel& given, const RunOptions& asked, Ledger& ledger) {
  const DefaultFloatingPoint environment;
  const SharedKernel shared = following_the_rules_of_causal(SharedKernel(SharedKernel(), &given));
  const Kernel& kernel = *shared;
  RunOptions options = asked;
  for (Problem& problem : options.problems) problem = as_understood(std::move(problem), kernel.conventions());
  const Stop stop(options);
  try {
    judge_within_its_part(kernel, options, ledger, stop);
    if (options.explain) reproduce_failures(kernel, ledger, stop, options.shrink);
    if (options.explain) find_circumstances(kernel, ledger, stop);
    if (options.explain) diagnose_failures(kernel, ledger, stop);
    if (!ledger.run().cut_short) conclude(kernel, options, ledger);
  } catch (...) {
    const Blamed blamed = blame(std::current_exception());
    if (blamed.whose == Blame::user) blamed.rethrow();
    end_early(blamed, options, ledger, stop);
  }
  ledger.note_use_of_attestone(kernel.uses_attestone());
  ledger.close();
}

}  // namespace attestone::inline conformance
