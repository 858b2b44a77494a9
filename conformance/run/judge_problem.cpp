// SPDX-License-Identifier: Apache-2.0
// From questions to verdicts, and what refusals mean.
#include "conformance/run/judge_problem.hpp"

#include "conformance/run/case.hpp"
#include "conformance/trial/problem_memory.hpp"
#include "conformance/trial/stopwatch.hpp"

namespace attestone::inline conformance {
namespace {

/// One problem, and what is known of a kernel's refusals of it.
class JudgedProblem {
 public:
  JudgedProblem(const Kernel& kernel, const Problem& problem, const RunOptions& options, const Desk& desk)
      : problem_(problem), options_(options), desk_(desk), trial_(kernel, problem) {}

  std::optional<std::size_t> ask(const std::vector<Question>& questions) {
    const auto asked = [&] {
      const Stopwatch watch(trial_.times.all);
      return ask_all(questions);
    }();
    desk_.enter([times = trial_.times, faults = trial_.faults](Ledger& ledger) {
      ledger.add_times(times);
      ledger.add_faults(faults);
    });
    return asked;
  }

 private:
  std::optional<std::size_t> ask_all(const std::vector<Question>& questions) {
    for (std::size_t at = 0; at < questions.size(); ++at) {
      const Question& question = questions[at];
      if (question.at_once) {
        if (question.at_once->outcome == Outcome::skipped)
          desk_.enter([refusal = Refusal{problem_, question.at_once->evidence, true}](Ledger& ledger) {
            ledger.refuse(refusal);
          });
        else if (!add(*question.property, *question.at_once))
          return std::nullopt;
        continue;
      }
      if (!question.comes) continue;
      desk_.begins(problem_, *question.property);
      std::optional<Verdict> verdict = verdict_of(*question.property);
      if (!verdict) return at + 1;
      answered_ = true;
      if (!add(*question.property, *verdict)) return std::nullopt;
    }
    return std::nullopt;
  }

  /// Nothing if the kernel refuses the problem itself; the ledger knows of it then.
  std::optional<Verdict> verdict_of(const Property& property) {
    const bool of_gradients = needs_gradients(property, problem_);
    if (of_gradients && no_backward_) return Verdict::skipped(*no_backward_);
    try {
      return checked(property, trial_);
    } catch (const KernelRefusal& refusal) {
      // The kernel refused this problem, or another one that the property made of it.
      Verdict verdict = Verdict::skipped(refusal.what());
      if (!answered_)
        if (const auto why = refused(verdict, refusal_of_forward)) {
          desk_.enter([refusal = Refusal{problem_, *why, false}](Ledger& ledger) { ledger.refuse(refusal); });
          return std::nullopt;
        }
      if (of_gradients) no_backward_ = refused(verdict, refusal_of_backward);
      if (no_backward_)
        desk_.enter(
            [problem = problem_, why = *no_backward_](Ledger& ledger) { ledger.refuse_backward(problem, why); });
      return verdict;
    }
  }

  /// The reason from refusal_of_…; a fault of the kernel becomes the verdict instead.
  std::optional<std::string> refused(Verdict& verdict, std::optional<std::string> (*refusal)(Trial&)) {
    try {
      return refusal(trial_);
    } catch (...) {
      verdict = verdict_about_kernel(blame(std::current_exception()));
    }
    return std::nullopt;
  }

  /// False if the run is over.
  bool add(const Property& property, const Verdict& verdict) {
    return desk_.enter([&options = options_, &property, problem = problem_, verdict](Ledger& ledger) {
      if (verdict.reason == "property-error") ledger.add_own_failure(verdict.evidence);
      if (costs_time(verdict) || (options.fail_fast && verdict.outcome == Outcome::failed)) ledger.end_with_failure();
      const bool first = ledger.add(property, problem, verdict);
      if (first && options.first_failure) options.first_failure(ledger.run().failures.back());
    });
  }

  const Problem& problem_;
  const RunOptions& options_;
  const Desk& desk_;
  Trial trial_;
  bool answered_ = false;                   // it has
  std::optional<std::string> no_backward_;  // why it refuses the backward pass, if it does
};

}  // namespace

bool begin_problem(const Kernel& kernel, const Problem& problem, const Desk& desk) {
  if (const Support support = kernel.takes(problem); !support) {
    desk.enter([refusal = Refusal{problem, support.why, true}](Ledger& ledger) { ledger.refuse(refusal); });
    return false;
  }
  if (std::string why = denied_addresses(problem); !why.empty()) {
    desk.enter([refusal = Refusal{problem, std::move(why), true}](Ledger& ledger) { ledger.refuse(refusal); });
    return false;
  }
  desk.enter([problem, numerics = kernel.numerics(problem), adjustments = kernel.adjustments(problem)](Ledger& ledger) {
    ledger.note_class(problem, numerics);
    ledger.note_adjustments(adjustments);
  });
  return true;
}

std::optional<std::size_t> judge_problem(const Kernel& kernel, const Problem& problem,
                                         const std::vector<Question>& questions, const RunOptions& options,
                                         const Desk& desk) {
  return JudgedProblem(kernel, problem, options, desk).ask(questions);
}

}  // namespace attestone::inline conformance
