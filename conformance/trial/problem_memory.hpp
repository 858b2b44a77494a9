// SPDX-License-Identifier: Apache-2.0
// How much memory it takes to judge a problem: told before anything is allocated.
#pragma once

#include "backends/kernel.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// A lower bound, in bytes: the tensors that a trial holds, the copy of its inputs that the kernel is handed, the truth
/// (unless it is sampled), the mask as bytes if the kernel wants that, and the workspace that one of ours documents.
/// Computed in double: no product of extents overflows.
double least_memory(const Problem&, const Kernel&);

/// Why the problem cannot be judged here: its rows lie so far apart (layout=sparse) that the system denies the
/// addresses between them. Empty if it can.
std::string denied_addresses(const Problem&);

/// UserError for the first problem that the kernel takes and this machine cannot hold.
void check_memory(const std::vector<Problem>&, const Kernel&);

}  // namespace attestone::inline conformance
