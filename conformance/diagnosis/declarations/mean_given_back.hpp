// SPDX-License-Identifier: Apache-2.0
// A kernel whose log_sum_exp gets back what its scores lost with the mean of K.
#pragma once

#include "backends/changed_kernel.hpp"

namespace attestone::inline conformance {

/// The kernel, and to log_sum_exp of each row the scaled product of its query with the mean of K is added: exact, of
/// the mean that the kernel declares. Of a kernel whose K loses the mean of all rows; it must outlive what comes back.
ChangedKernel giving_mean_back(const Kernel&);

}  // namespace attestone::inline conformance
