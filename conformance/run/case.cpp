// SPDX-License-Identifier: Apache-2.0
// Whose fault an exception is.
#include "conformance/run/case.hpp"

#include <fmt/format.h>
#include <new>
#include <system_error>

#include "backends/stop_request.hpp"
#include "conformance/problems/fill.hpp"
#include "reference/quantization/coded_problem.hpp"
#include "reference/system_failure.hpp"
#include "reference/tensor/floating_point_environment.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

Verdict property_error(const Property& property, const char* what) {
  return Verdict::inconclusive("property-error", fmt::format("the property {} threw: {}", property.name, what));
}

/// Whether the user's fill is at fault: it is unknown, or reads what does not suit the problem.
bool cannot_be_filled(const Problem& problem) {
  try {
    check_source(problem);
    return false;
  } catch (const UserError&) {
    return true;
  }
}

/// What `say` returns; "property-error" for what it throws, unless somebody else is meant by it.
template <class Say>
Verdict guarded(const Property& property, const Problem& problem, Say say) {
  try {
    return say();
  } catch (const KernelCrash&) {
    throw;
  } catch (const KernelFault&) {
    throw;
  } catch (const KernelRefusal&) {
    throw;
  } catch (const Stopped&) {
    throw;
  } catch (const UserError& error) {
    if (cannot_be_filled(problem)) throw;
    return property_error(property, error.what());
  } catch (const SystemFailure&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::system_error& error) {
    throw SystemFailure(error.what());
  } catch (const std::exception& error) {
    return property_error(property, error.what());
  } catch (...) {
    return property_error(property, "something that is no std::exception");
  }
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
    return guarded(property, trial.problem(), [&] { return property.check(trial); });
  } catch (const KernelCrash& crash) {
    return Verdict::failed("crashed", crash.what());
  } catch (const KernelFault& fault) {
    return Verdict::failed(fault.reason(), fault.what());
  }
}

std::optional<std::string> refusal_of_forward(Trial& trial) {
  return refusal([&] { trial.answer(); });
}

std::optional<std::string> refusal_of_backward(Trial& trial) {
  return refusal([&] { trial.backward().answer(); });
}

std::string cause_of(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) ? "out of memory" : error.what();
}

bool costs_time(const Verdict& verdict) {
  return verdict.outcome == Outcome::failed && (verdict.reason == "hung" || verdict.reason == "too-much-memory");
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
