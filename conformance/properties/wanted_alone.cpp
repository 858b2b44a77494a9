// SPDX-License-Identifier: Apache-2.0
// An answer does not depend on whether other answers are asked for.
#include <type_traits>

#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::string inapplicable(const Problem& problem) { return problem.wants_all() ? "every answer is asked for" : ""; }

/// The answers of a call for everything, of which only those count that the problem asks for.
template <class Answers>
Answers only_wanted(const Problem& problem, const Answers& all) {
  Answers some(problem);
  const auto take = [](const Tensor& from, Tensor& to) {
    if (to.exists()) to = Tensor(from);
  };
  if constexpr (std::is_same_v<Answers, Outputs>) {
    take(all.out, some.out), take(all.log_sum_exp, some.log_sum_exp);
    if (some.max_logits) some.max_logits.emplace(*all.max_logits);
  } else {
    take(all.query, some.query), take(all.key, some.key), take(all.value, some.value);
    if (some.bias) some.bias.emplace(*all.bias);
    if (some.sink) some.sink.emplace(*all.sink);
  }
  return some;
}

Verdict check(Trial& trial) {
  Problem whole = trial.problem();
  whole.want_all();
  if (const Support support = trial.kernel().takes(whole); !support) return Verdict::skipped(support.why);
  // First, so that what a kernel keeps of it does not help the call for some of the answers.
  const KernelAnswer& alone = trial.answer();
  Trial everything(trial.kernel(), whole);
  const KernelAnswer answer = everything.run(trial.inputs());
  const Verdict verdict = metamorphic(trial.compare_with_truth(only_wanted(trial.problem(), answer.outputs)),
                                      trial.compare_with_truth(alone.outputs), "depends-on-wants",
                                      "where nobody asks for the other answers");
  if (!whole.backward || verdict.outcome != Outcome::passed) return verdict;
  BackwardTrial& backward = trial.backward();
  const Gradients& some = backward.answer().gradients;
  const Gradients all = everything.backward().run(trial.inputs(), answer.outputs).gradients;
  trial.times.kernel += everything.times.kernel;
  return metamorphic(backward.compare_with_truth(only_wanted(trial.problem(), all)), backward.compare_with_truth(some),
                     "depends-on-wants", "where nobody asks for the other gradients");
}

const Registration<Property> registered{{
    .name = "wanted_alone",
    .claim = "answers that are asked for alone are as right as among all answers",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone::inline conformance
