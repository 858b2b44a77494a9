// SPDX-License-Identifier: Apache-2.0
// A kernel that knows what the files beside it add, and may be wrong just there.
#pragma once

#include <string>

#include "backends/kernel.hpp"

namespace attestone {

/// Attention row by row in f32, forward and without dropout, for every format, mask, score, layout and fill, the bias
/// clipped_distance by a formula of its own. On problems that have the feature `fault`
/// (conformance/problems/coverage.hpp) it answers twice what is right.
SharedKernel knowing_kernel(const std::string& fault = "");

}  // namespace attestone
