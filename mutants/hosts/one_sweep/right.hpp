// SPDX-License-Identifier: Apache-2.0
// The right kernels of this room: its three forward hosts, each with the fused backward pass.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline mutants::one_sweep {

SharedKernel right_tiled();
SharedKernel right_split();
SharedKernel right_unfused();
// That declare to be f32 throughout.
SharedKernel right_tiled_in_f32();
SharedKernel right_split_in_f32();

}  // namespace attestone::inline mutants::one_sweep
