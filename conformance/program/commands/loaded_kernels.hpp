// SPDX-License-Identifier: Apache-2.0
// Starting what a request for kernels names: libraries, programs and ranks.
#pragma once

#include <vector>

#include "conformance/program/request/kernel_request.hpp"

namespace attestone::inline conformance {

/// The kernels that are asked for, those from outside with the option that asks for them; at least one. UserError for a
/// library or program that is no kernel.
std::vector<Candidate> load_kernels(const KernelRequest&);

/// How many problems the kernel is judged on at the same time: as many as OpenMP has threads, if it is a published one.
/// Wrong kernels may remember what they were called with, and are called as a repro line calls them.
int problems_at_once(const Kernel&);

}  // namespace attestone::inline conformance
