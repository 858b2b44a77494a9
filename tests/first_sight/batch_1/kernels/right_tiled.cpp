// SPDX-License-Identifier: Apache-2.0
// The right kernel of the host "tiled", with the fused backward pass.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

KERNEL(TiledForward, FusedBackward)
