// SPDX-License-Identifier: Apache-2.0
// Judging a kernel: problem by problem, property by property; then explaining what failed.
#include "conformance/run/run.hpp"

#include <algorithm>

#include "conformance/run/case.hpp"
#include "conformance/run/conclusions.hpp"
#include "conformance/run/explain_failures.hpp"
#include "conformance/run/ledger.hpp"
#include "conformance/run/stop.hpp"
#include "conformance/run/turns.hpp"
#include "reference/floating_point_environment.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

std::vector<const Property*> chosen_properties(const RunOptions& options) {
  std::vector<const Property*> chosen = options.properties;
  if (chosen.empty()) {
    for (const auto& [name, property] : Registry<Property>::all()) chosen.push_back(&property);
    // The plainest statement first, so that a wrong kernel is first of all shown a wrong number.
    // (Not std::ranges: clang 14 cannot compile libstdc++ 12's subrange.)
    std::stable_partition(chosen.begin(), chosen.end(),
                          [](const Property* property) { return property->name == "value_bound"; });
  }
  std::erase_if(chosen, [&](const Property* property) {
    return std::find(options.excluded.begin(), options.excluded.end(), property) != options.excluded.end();
  });
  return chosen;
}

/// The problems one after the other, each tried by every property that has something to say about it.
class Cases {
 public:
  Cases(const Kernel& kernel, const RunOptions& options, Ledger& ledger, const Stop& stop)
      : kernel_(kernel), options_(options), ledger_(ledger), stop_(stop) {}

  /// Until the last one, or the failure that ends the run. Stopped if it is to stop.
  void judge_all() {
    for (const Problem& problem : options_.problems) {
      stop_.check();
      ++begun_;
      if (const Support support = kernel_.takes(problem); !support) {
        ledger_.refuse({problem, support.why, true});
        continue;
      }
      ledger_.note_class(problem, kernel_.numerics(problem));
      ledger_.note_adjustments(kernel_.adjustments(problem));
      Trial trial(kernel_, problem);
      judge_problem(trial);
      ledger_.add_times(trial.times);
      if (!ledger_.run().complete) return;
    }
  }

 private:
  /// What is known of a kernel's refusals of one problem.
  struct Answers {
    bool forward = false;                    ///< it has answered
    std::optional<std::string> no_backward;  ///< why it refuses the backward pass, if it does
  };

  void judge_problem(Trial& trial) {
    const Problem& problem = trial.problem();
    Answers answers;
    for (const Property* property : properties_) {
      if (const auto verdict = inapplicable(*property, problem)) {
        if (verdict->outcome != Outcome::skipped) add(*property, problem, *verdict);
        continue;
      }
      if (property->relation && in_turns(options_) && !turns_.comes(*property)) continue;
      stop_.check();
      if (options_.progress)
        options_.progress({repro_line(ledger_.run().option, *property, problem), begun_, std::ssize(options_.problems),
                           ledger_.run().counts});
      std::optional<Verdict> verdict = verdict_of(*property, trial, answers);
      if (!verdict) return;
      answers.forward = true;
      add(*property, problem, std::move(*verdict));
      if (!ledger_.run().complete) return;
    }
  }

  /// Nothing if the kernel refuses the problem itself; the ledger knows of it then.
  std::optional<Verdict> verdict_of(const Property& property, Trial& trial, Answers& answers) {
    const bool of_gradients = needs_gradients(property, trial.problem());
    if (of_gradients && answers.no_backward) return Verdict::skipped(*answers.no_backward);
    try {
      return checked(property, trial);
    } catch (const KernelRefusal& refusal) {
      // Of this problem, or of another one that the property made of it.
      Verdict verdict = Verdict::skipped(refusal.what());
      if (!answers.forward)
        if (const auto why = refused(trial, verdict, refusal_of_forward)) {
          ledger_.refuse({trial.problem(), *why, false});
          return std::nullopt;
        }
      if (of_gradients) answers.no_backward = refused(trial, verdict, refusal_of_backward);
      if (answers.no_backward) ledger_.refuse_backward(trial.problem(), *answers.no_backward);
      return verdict;
    }
  }

  /// What refusal_of_… says; a fault of the kernel becomes the verdict instead.
  std::optional<std::string> refused(Trial& trial, Verdict& verdict, std::optional<std::string> (*ask)(Trial&)) {
    try {
      return ask(trial);
    } catch (const KernelCrash& crash) {
      verdict = Verdict::failed("crashed", crash.what());
    } catch (const KernelFault& fault) {
      verdict = Verdict::failed(fault.reason(), fault.what());
    }
    return std::nullopt;
  }

  void add(const Property& property, const Problem& problem, Verdict verdict) {
    if (verdict.reason == "property-error") ledger_.add_own_failure(verdict.evidence);
    if (costs_time(verdict) || (options_.fail_fast && verdict.outcome == Outcome::failed)) ledger_.end_with_failure();
    const bool first = ledger_.add(property, problem, std::move(verdict));
    if (first && options_.first_failure) options_.first_failure(ledger_.run().failures.back());
  }

  const Kernel& kernel_;
  const RunOptions& options_;
  Ledger& ledger_;
  const Stop& stop_;
  const std::vector<const Property*> properties_ = chosen_properties(options_);
  Turns turns_;
  index begun_ = 0;
};

}  // namespace

KernelRun examine(const Candidate& candidate, const RunOptions& options) {
  Ledger ledger(candidate);
  examine(*candidate.kernel, options, ledger);
  return ledger.snapshot();
}

void examine(const Kernel& kernel, const RunOptions& options, Ledger& ledger) {
  const DefaultFloatingPoint environment;
  const Stop stop(options);
  try {
    Cases(kernel, options, ledger, stop).judge_all();
    if (options.explain && options.shrink) shrink_failures(kernel, ledger, stop);
    if (options.explain) diagnose_failures(kernel, ledger, stop);
    conclude(kernel, options, ledger);
  } catch (const Stopped&) {
    ledger.cut_short(stop.reason().value_or(CutShort::interrupted));
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    ledger.add_own_failure(cause_of(error));
    ledger.cut_short(CutShort::own_failure);
  }
  ledger.close();
}

}  // namespace attestone
