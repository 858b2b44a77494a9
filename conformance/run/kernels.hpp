// SPDX-License-Identifier: Apache-2.0
// Finding the kernel to judge: a published one, or a wrong or right one from the mutants.
#pragma once

#include <string>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// The kernel of that text ("flash:block_q=32"), or the mutant or twin of that name ("lost_tail", "right_tiled").
/// UserError otherwise.
SharedKernel find_kernel(const std::string& text);

}  // namespace attestone::inline conformance
