// SPDX-License-Identifier: Apache-2.0
// The outputs that a kernel must write.
#pragma once

#include <vector>

#include "reference/call/tensors.hpp"
#include "reference/problem/conventions.hpp"

namespace attestone::inline conformance {

/// All outputs but a log_sum_exp that the kernel declares not to have: that may stay as it is.
std::vector<NamedTensor> outputs_owed(const Outputs&, const Conventions&);

}  // namespace attestone::inline conformance
