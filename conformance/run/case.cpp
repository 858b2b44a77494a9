// SPDX-License-Identifier: Apache-2.0
// Checks, and what becomes of their exceptions.
#include "conformance/run/case.hpp"

#include <fmt/format.h>

#include "conformance/problems/fill.hpp"
#include "reference/quantization/coded_problem.hpp"
#include "reference/tensor/floating_point_environment.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

Verdict property_error(const Property& property, const std::string& what) {
  return Verdict::inconclusive("property-error", fmt::format("the property {} threw: {}", property.name, what));
}

/// True if the user's fill is at fault: it is unknown, or reads a file that does not suit the problem.
bool cannot_be_filled(const Problem& problem) {
  try {
    check_source(problem);
    return false;
  } catch (const UserError&) {
    return true;
  }
}

/// Returns what `say` returns; "property-error" for what it throws, unless somebody else is to blame.
template <class Say>
Verdict guarded(const Property& property, const Problem& problem, Say say) {
  try {
    return say();
  } catch (...) {
    const Blamed blamed = blame(std::current_exception());
    const bool own = blamed.whose == Blame::user ? !cannot_be_filled(problem) : blamed.whose == Blame::judge;
    if (!own) blamed.rethrow();
    return property_error(property, blamed.says);
  }
}

/// A pass says nothing of a fault that was asked for and has not happened.
Verdict with_faults(Verdict verdict, const Trial& trial) {
  if (verdict.outcome == Outcome::passed)
    for (const auto& [name, times] : trial.faults)
      if (times == 0)
        return Verdict::inconclusive("fault-never-happened",
                                     fmt::format("the calls hold nothing that {} could befall", name));
  return verdict;
}

template <class Ask>
std::optional<std::string> refusal(Ask ask) {
  try {
    ask();
    return std::nullopt;
  } catch (const KernelRefusal& refused) {
    return refused.what();
  }
}

}  // namespace

std::optional<Verdict> inapplicable(const Property& property, const Problem& problem) {
  const auto why = guarded(property, problem, [&] {
    if (const std::string reason = property.inapplicable(problem); !reason.empty()) return Verdict::skipped(reason);
    for (const TensorName answer : property.needs)
      if (!problem.wanted(answer)) return Verdict::skipped(fmt::format("nobody asks for {}", text(answer)));
    return Verdict::passed();
  });
  return why.outcome == Outcome::passed ? std::nullopt : std::optional(why);
}

std::string undeclared(const Property& property, const Kernel& kernel, const Problem& problem) {
  if (property.of_codes && !computes_with_codes(kernel.numerics(problem)))
    return "does not say with which codes it computes";
  if (includes(kernel.numerics(problem).invariant, property.invariance)) return {};
  return fmt::format("does not declare invariant={}", text(property.invariance));
}

bool needs_gradients(const Property& property, const Problem& problem) {
  if (!problem.backward) return false;
  Problem forward = problem;
  forward.drop_gradients();
  const auto verdict = inapplicable(property, forward);
  return verdict && verdict->outcome == Outcome::skipped;
}

Verdict checked(const Property& property, Trial& trial) {
  try {
    return guarded(property, trial.problem(), [&] { return with_faults(property.check(trial), trial); });
  } catch (...) {
    return verdict_about_kernel(blame(std::current_exception()));
  }
}

Verdict verdict_about_kernel(const Blamed& blamed) {
  if (blamed.whose != Blame::kernel) blamed.rethrow();
  return Verdict::failed(blamed.reason, blamed.says);
}

std::optional<std::string> refusal_of_forward(Trial& trial) {
  return refusal([&] { trial.answer(); });
}

std::optional<std::string> refusal_of_backward(Trial& trial) {
  return refusal([&] { trial.backward().answer(); });
}

bool costs_time(const Verdict& verdict) {
  return verdict.outcome == Outcome::failed && (verdict.reason == "hung" || verdict.reason == "too-much-memory");
}

bool answers_no_questions(const Verdict& verdict) {
  return costs_time(verdict) || (verdict.outcome == Outcome::failed && verdict.reason == "wrong-protocol");
}

Verdict examine_case(const Kernel& kernel, const Property& property, const Problem& problem) {
  const DefaultFloatingPoint environment;
  if (const Support support = kernel.takes(problem); !support) return Verdict::skipped(support.why);
  if (const auto verdict = inapplicable(property, problem)) return *verdict;
  if (std::string why = undeclared(property, kernel, problem); !why.empty()) return Verdict::skipped(std::move(why));
  Trial trial(kernel, problem);
  try {
    return checked(property, trial);
  } catch (const KernelRefusal& refusal) {
    return Verdict::skipped(refusal.what());
  }
}

}  // namespace attestone::inline conformance
