// SPDX-License-Identifier: Apache-2.0
// The right kernels of this room.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline mutants::workspace_sums {

SharedKernel right_tiled_fused();
SharedKernel right_tiled_two_pass();
SharedKernel right_unfused_head();
/// Declares to be f32 throughout.
SharedKernel right_tiled_fused_in_f32();

}  // namespace attestone::inline mutants::workspace_sums
