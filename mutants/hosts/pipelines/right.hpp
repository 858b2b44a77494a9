// SPDX-License-Identifier: Apache-2.0
// The right kernels of this room that mutants are made of.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline mutants::pipelines {

SharedKernel right_pipelined_fused();
SharedKernel right_persistent_two_pass();
SharedKernel right_split_fused();

}  // namespace attestone::inline mutants::pipelines
