// SPDX-License-Identifier: Apache-2.0
// One case of a run: a property's check, with everything that can go wrong in it told apart.
#pragma once

#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

/// Nothing if the property has something to say about the problem; otherwise skipped with the reason, or inconclusive
/// ("property-error") if it throws instead of telling.
std::optional<Verdict> inapplicable(const Property&, const Problem&);

/// Why the kernel is not asked: it does not declare what the property holds it to. Empty if it is.
std::string undeclared(const Property&, const Kernel&, const Problem&);

/// True if the property has something to say only because the problem asks for gradients.
bool needs_gradients(const Property&, const Problem&);

/// The verdict of a property that applies. Faults of the kernel are failures; a property that throws is inconclusive
/// ("property-error"). KernelRefusal if the kernel refuses something that was asked; SystemFailure and std::bad_alloc,
/// UserError and Stopped pass through.
Verdict checked(const Property&, Trial&);

/// Why the kernel refuses the plain call of the trial's problem, or its backward pass; nothing if it answers.
/// Faults pass as KernelFault and KernelCrash.
std::optional<std::string> refusal_of_forward(Trial&);
std::optional<std::string> refusal_of_backward(Trial&);

/// The verdict where the kernel is to blame; throws the exception again where it is not.
Verdict verdict_about_kernel(const Blamed&);

/// A fault that takes long to show: one of them is enough, and the run ends with it.
bool costs_time(const Verdict&);

/// A failure about which further calls tell nothing, or too little for what they cost: it is neither shrunk nor
/// diagnosed. A kernel that does not keep to the protocol has to be started again for every question.
bool answers_no_questions(const Verdict&);

}  // namespace attestone::inline conformance
