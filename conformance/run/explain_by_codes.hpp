// SPDX-License-Identifier: Apache-2.0
// Where a kernel computes with other codes than it declares: with which; and whether it forgets their mean.
#pragma once

#include <optional>

#include "conformance/diagnosis/declarations/sufficient_declaration.hpp"
#include "conformance/diagnosis/diagnose.hpp"
#include "conformance/run/kernel_run.hpp"
#include "conformance/run/stop.hpp"

namespace attestone::inline conformance {

/// For a run that missed the answer to the codes: the first of known_codes() to which all answers are near, on
/// the problems that failed and on longer ones of the same kind. Nothing if there is none, or if the kernel refuses
/// most of what is asked. KernelFault, KernelCrash and KernelRefusal pass.
std::optional<SufficientDeclaration> other_codes(const Kernel&, const KernelRun&, const Stop&);

/// For a run in which log_sum_exp missed its bound: that it is right on all those problems but for what scores lost
/// with the mean of K; nothing if it is not. The same exceptions pass.
std::optional<Finding> missing_mean(const Kernel&, const KernelRun&, const Stop&);

}  // namespace attestone::inline conformance
