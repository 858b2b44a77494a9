// SPDX-License-Identifier: Apache-2.0
// A test if the errors of a kernel lean: a factor close to 1 is as small as a rounding, but always goes the same way.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// On some hundred independent sequences with two keys each, of the problem's kind: whether the errors of O along O, of
/// log_sum_exp, or of a gradient along itself, lean further than errors do whose signs are as likely as not. With e_g
/// the sum over one sequence and head, these exceed |sum e_g| > 9 (sum e_g^2)^1/2 with a probability below 2 e^(-81/2)
/// (Hoeffding's inequality, given the |e_g|). False if the kernel takes no such problem. KernelFault and KernelCrash
/// pass.
bool errors_lean(const Kernel&, const Problem&, bool gradients);

}  // namespace attestone::inline conformance
