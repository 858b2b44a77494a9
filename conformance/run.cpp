// SPDX-License-Identifier: Apache-2.0
// Judging a kernel: problem by problem, property by property; then shrinking what failed.
#include "conformance/run.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "conformance/measure/stopwatch.hpp"
#include "conformance/probes/read_out.hpp"
#include "conformance/shrink.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::vector<const Property*> chosen_properties(const RunOptions& options) {
  if (!options.properties.empty()) return options.properties;
  std::vector<const Property*> all;
  for (const auto& [name, property] : Registry<Property>::all()) all.push_back(&property);
  // The plainest statement first, so that a wrong kernel is first of all shown a wrong number.
  // (Not std::ranges: clang 14 cannot compile libstdc++ 12's subrange.)
  std::stable_partition(all.begin(), all.end(),
                        [](const Property* property) { return property->name == "value_bound"; });
  return all;
}

// A relation calls the kernel again, and has a truth or bounds of its own: all of them on every problem would cost
// thrice what everything else does.
constexpr index relations_take_turns = 7;

/// Whether the problems are so many that relations take turns.
bool in_turns(const RunOptions& options) {
  return options.properties.empty() && std::ssize(options.problems) >= 2 * relations_take_turns;
}

/// Whose turn it is: each relation's at one in seven of the problems to which it applies, and not all at the same.
class Turns {
 public:
  bool comes(const Property& relation) {
    return met_.try_emplace(&relation, std::ssize(met_)).first->second++ % relations_take_turns == 0;
  }

 private:
  std::map<const Property*, index> met_;  // how many problems it applied to; it begins with its number
};

Support support_of(const AnyKernel& kernel, const Problem& problem) {
  if (problem.backward && !kernel.run_backward) return Support::refused("computes no gradients");
  return kernel.supports(problem);
}

Verdict checked(const Property& property, Trial& trial) {
  try {
    return property.check(trial);
  } catch (const KernelCrash& crash) {
    return Verdict::failed("crashed", crash.what());
  } catch (const KernelFault& fault) {
    return Verdict::failed(fault.reason(), fault.what());
  }
}

/// A fault that takes long to show: one of them is enough, and the run ends with it.
bool costs_time(const Verdict& verdict) {
  return verdict.outcome == Outcome::failed && (verdict.reason == "hung" || verdict.reason == "too-much-memory");
}

/// Collects what cases add to a run.
class Ledger {
 public:
  explicit Ledger(const AnyKernel& kernel) : kernel_(kernel) {
    run_.kernel = kernel.name;
    run_.option = option_of(kernel);
  }

  void refuse(const Problem& problem, const std::string& why) {
    ++run_.refusals[why];
    ++run_.counts[Outcome::skipped];
    for (const std::string& feature : features_of(problem)) ++run_.coverage[feature][Outcome::skipped];
  }

  void note_adjustments(const Problem& problem) {
    for (const Adjustment& adjustment : kernel_.adjustments(problem)) ++run_.adjustments[adjustment];
  }

  void add(const Property& property, const Problem& problem, Verdict verdict) {
    ++run_.counts[verdict.outcome];
    ++run_.by_property[std::string(property.name)][verdict.outcome];
    // A kernel that refuses another form of a problem has not refused the problem.
    if (verdict.outcome != Outcome::skipped)
      for (const std::string& feature : features_of(problem)) ++run_.coverage[feature][verdict.outcome];
    if (verdict.outcome == Outcome::failed) fail(property, problem, verdict);
    run_.cases.push_back({&property, problem, std::move(verdict)});
  }

  /// Shrinks the first failure of each property. Every attempt meets the kernel as the repro line will: afresh.
  void shrink_failures() {
    for (Failure& failure : run_.failures) {
      if (costs_time(failure.verdict)) continue;
      const auto again = [&](const Problem& problem) {
        kernel_.restart();
        return judge_case(kernel_, *failure.property, problem);
      };
      failure.least =
          shrink(failure.first, [&](const Problem& smaller) { return again(smaller).outcome == Outcome::failed; });
      // A kernel whose fault depends on what was called before may pass now: the first verdict stands.
      if (Verdict verdict = again(failure.least); verdict.outcome == Outcome::failed)
        failure.verdict = std::move(verdict);
    }
  }

  /// By the first failure that a wrong variant explains, or whose masks and scores can be read.
  void diagnose_failures() {
    for (const Failure& failure : run_.failures) {
      if (costs_time(failure.verdict)) continue;
      kernel_.restart();
      try {
        if (run_.findings.empty()) run_.findings = diagnose(kernel_, failure.first);
        for (const Problem* problem : {&failure.first, &failure.least})
          if (run_.read_out.empty()) run_.read_out = read_out(kernel_, *problem);
      } catch (const KernelFault&) {  // what misbehaves has no answer to diagnose
      } catch (const KernelRefusal&) {
      }
    }
  }

  /// A property that takes turns may just not have met a problem that suits it.
  void add_general_failures(const std::vector<std::string>& required, bool relations_in_turns) {
    if (!run_.failures.empty()) return;
    for (const auto& [property, counts] : run_.by_property)
      if (!(relations_in_turns && Registry<Property>::find(property)->relation) &&
          counts.count(Outcome::inconclusive) && !counts.count(Outcome::passed) && !counts.count(Outcome::failed))
        add_general("never-conclusive", fmt::format("{}: {} cases, none of which could tell right from wrong", property,
                                                    counts.at(Outcome::inconclusive)));
    for (const std::string& feature : required) {
      Counts counts = run_.coverage[feature];
      if (counts[Outcome::skipped] > 0)
        add_general("required", fmt::format("refused {} problems with '{}'", counts[Outcome::skipped], feature));
      else if (counts[Outcome::passed] + counts[Outcome::failed] == 0)
        add_general("required", fmt::format("no conclusive case with '{}'", feature));
    }
  }

  KernelRun& run() { return run_; }

 private:
  void fail(const Property& property, const Problem& problem, const Verdict& verdict) {
    const auto known = std::ranges::find(run_.failures, &property, &Failure::property);
    if (known != run_.failures.end())
      ++known->count;
    else
      run_.failures.push_back({&property, verdict, problem, problem});
  }

  void add_general(std::string_view reason, std::string evidence) {
    run_.failures.push_back({nullptr, Verdict::failed(reason, std::move(evidence)), {}, {}});
  }

  const AnyKernel& kernel_;
  KernelRun run_;
};

}  // namespace

std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

std::string option_of(const AnyKernel& kernel) {
  return kernel.option.empty() ? "--kernel=" + quoted(kernel.name) : kernel.option;
}

std::string repro_line(const std::string& option, const Property& property, const Problem& problem) {
  return fmt::format("attestone run {} --property={} {}", option, property.name, quoted(problem.text()));
}

Verdict judge_case(const AnyKernel& kernel, const Property& property, const Problem& problem) {
  if (const Support support = support_of(kernel, problem); !support) return Verdict::skipped(support.why);
  if (const std::string why = property.inapplicable(problem); !why.empty()) return Verdict::skipped(why);
  Trial trial(kernel, problem);
  try {
    return checked(property, trial);
  } catch (const KernelRefusal& refusal) {
    return Verdict::skipped(refusal.what());
  }
}

KernelRun judge(const AnyKernel& kernel, const RunOptions& options) {
  const auto properties = chosen_properties(options);
  Ledger ledger(kernel);
  KernelRun& run = ledger.run();
  {
    const Stopwatch watch(run.seconds);
    double elapsed = 0;
    index done = 0;
    Turns turns;
    for (const Problem& problem : options.problems) {
      const bool over_budget = options.budget_seconds && elapsed > *options.budget_seconds;
      if (over_budget || (options.interrupted && options.interrupted())) {
        run.complete = false;
        break;
      }
      const Stopwatch of_problem(elapsed);
      ++done;
      if (const Support support = support_of(kernel, problem); !support) {
        ledger.refuse(problem, support.why);
        continue;
      }
      ledger.note_adjustments(problem);
      Trial trial(kernel, problem);
      bool answered = false;
      for (const Property* property : properties) {
        if (!property->inapplicable(problem).empty()) continue;
        if (property->relation && in_turns(options) && !turns.comes(*property)) continue;
        if (options.progress)
          options.progress(
              {repro_line(run.option, *property, problem), done, std::ssize(options.problems), run.counts});
        Verdict verdict;
        try {
          verdict = checked(*property, trial);
        } catch (const KernelRefusal& refusal) {
          if (!answered) {
            ledger.refuse(problem, refusal.what());
            break;
          }
          verdict = Verdict::skipped(refusal.what());  // of another problem, that the property asked for
        }
        answered = true;
        run.complete = !costs_time(verdict) && !(options.fail_fast && verdict.outcome == Outcome::failed);
        const std::size_t failures = run.failures.size();
        ledger.add(*property, problem, std::move(verdict));
        if (options.first_failure && run.failures.size() > failures) options.first_failure(run.failures.back());
        if (!run.complete) break;
      }
      run.times.truth += trial.times.truth;
      run.times.kernel += trial.times.kernel;
      if (!run.complete) break;
    }
    if (options.explain) {
      ledger.shrink_failures();
      ledger.diagnose_failures();
    }
  }
  ledger.add_general_failures(options.required, in_turns(options));
  return std::move(run);
}

}  // namespace attestone
