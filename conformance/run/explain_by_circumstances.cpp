// SPDX-License-Identifier: Apache-2.0
// Further calls of a kernel, judged by the property that failed.
#include "conformance/run/explain_by_circumstances.hpp"

#include <algorithm>
#include <optional>

#include "conformance/diagnosis/kinds/circumstances_of.hpp"
#include "conformance/run/case.hpp"
#include "conformance/trial/outputs_owed.hpp"
#include "conformance/trial/same_bits.hpp"
#include "conformance/trial/threads.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone::inline conformance {
namespace {

// Repetitions of a call: most of what changes at all changes within a few.
constexpr index repetitions = 6;

/// One further call: the answers of the pass that the property is about.
class Answering {
 public:
  Answering(const Kernel& kernel, const Property& property, const FurtherCall& call)
      : call_(call),
        property_(property),
        of_gradients_(needs_gradients(property, call.problem)),
        trial_(call.inputs ? std::make_unique<Trial>(kernel, call.problem, *call.inputs)
                           : std::make_unique<Trial>(kernel, call.problem)) {}

  Heard heard() {
    Heard heard{checked(property_, *trial_)};
    if (heard.verdict.worst) heard.errors = errors();
    if (call_.repeated) heard.bits_change = bits_change();
    if (call_.over_two_poisons) heard.unwritten = unwritten();
    return heard;
  }

 private:
  std::vector<ErrorField> errors() {
    if (of_gradients_) return trial_->backward().compare_with_truth(trial_->backward().answer().gradients).errors;
    return trial_->compare_with_truth(trial_->answer().outputs).errors;
  }

  bool bits_change() {
    const Outputs& outputs = trial_->answer().outputs;
    for (index again = 0; again < repetitions; ++again)
      if (of_gradients_ ? !same_answers(trial_->backward().answer().gradients,
                                        trial_->backward().run(trial_->inputs(), outputs).gradients)
                        : !same_answers(outputs, trial_->run(trial_->inputs()).outputs))
        return true;
    return false;
  }

  index unwritten() {
    const Problem& problem = call_.problem;
    const auto owed = [&](const Outputs& outputs) { return outputs_owed(outputs, trial_->conventions()); };
    if (!of_gradients_)
      return count_unwritten(owed(trial_->answer().outputs), owed(trial_->run(trial_->inputs(), Poison::huge).outputs),
                             owed(poisoned_outputs(problem, Poison::nan)),
                             owed(poisoned_outputs(problem, Poison::huge)));
    BackwardTrial& backward = trial_->backward();
    return count_unwritten(tensors_of(backward.answer().gradients),
                           tensors_of(backward.run(trial_->inputs(), trial_->answer().outputs, Poison::huge).gradients),
                           tensors_of(poisoned_gradients(problem, Poison::nan)),
                           tensors_of(poisoned_gradients(problem, Poison::huge)));
  }

  /// Elements that hold the one poison in one answer, and the other in the other.
  static index count_unwritten(const std::vector<NamedTensor>& over_nan, const std::vector<NamedTensor>& over_huge,
                               const std::vector<NamedTensor>& nan, const std::vector<NamedTensor>& huge) {
    index count = 0;
    for (std::size_t t = 0; t < nan.size(); ++t) {
      const auto code = [t](const std::vector<NamedTensor>& of, index batch, index head, index row, index channel) {
        return of[t].tensor->view().code(batch, head, row, channel);
      };
      for_each_element(nan[t].tensor->view(), [&](index batch, index head, index row, index c) {
        count += code(over_nan, batch, head, row, c) == code(nan, batch, head, row, c) &&
                 code(over_huge, batch, head, row, c) == code(huge, batch, head, row, c);
      });
    }
    return count;
  }

  const FurtherCall& call_;
  const Property& property_;
  bool of_gradients_;
  std::unique_ptr<Trial> trial_;
};

/// True if the property judges the plain call on the trial's own inputs, whichever these are.
bool is_bound(const Property& property) { return property.name == "value_bound" || property.name == "gradient_bound"; }

Heard ask(const Kernel& kernel, const Property& property, const FurtherCall& call) {
  const DefaultFloatingPoint environment;
  if (call.inputs && !is_bound(property)) return {Verdict::skipped("has inputs of its own")};
  if (call.fresh) kernel.restart();
  std::optional<Threads> threads;
  if (call.threads > 0) threads.emplace(call.threads);
  if (const Support support = kernel.takes(call.problem); !support) return {Verdict::skipped(support.why)};
  if (auto verdict = inapplicable(property, call.problem)) return {std::move(*verdict)};
  if (std::string why = undeclared(property, kernel, call.problem); !why.empty())
    return {Verdict::skipped(std::move(why))};
  try {
    return Answering(kernel, property, call).heard();
  } catch (...) {
    const Blamed blamed = blame(std::current_exception());
    if (blamed.whose == Blame::refusal) return {Verdict::skipped(blamed.says)};
    return {verdict_about_kernel(blamed)};
  }
}

/// The failure that tells most: of a bound, by elements; its number, or that of none.
std::optional<std::size_t> most_telling(const std::vector<Failure>& failures) {
  const auto rank = [](const Failure& failure) {
    if (!failure.property || answers_no_questions(failure.verdict)) return 3;
    return failure.property->name == "value_bound" ? 0 : failure.property->name == "gradient_bound" ? 1 : 2;
  };
  const auto best = std::ranges::min_element(failures, {}, rank);
  if (best == failures.end() || rank(*best) == 3) return std::nullopt;
  return static_cast<std::size_t>(best - failures.begin());
}

}  // namespace

void find_circumstances(const Kernel& kernel, Ledger& ledger, const Stop& stop) {
  const KernelRun& run = ledger.run();
  const auto number = most_telling(run.failures);
  if (!number) return;
  const Failure& failure = run.failures[*number];
  FailureToExplain explained{failure.verdict.reason, is_bound(*failure.property), failure.first, failure.least, {}};
  for (const Case& each : run.cases)
    if (each.property == failure.property && each.verdict.outcome == Outcome::failed)
      explained.failing.push_back(each.problem);
  const Property& property = *failure.property;
  const AskKernel ask_it = [&](const FurtherCall& call) {
    stop.check();
    return ask(kernel, property, call);
  };
  ledger.explain(*number, circumstances_of(ask_it, explained));
}

}  // namespace attestone::inline conformance
