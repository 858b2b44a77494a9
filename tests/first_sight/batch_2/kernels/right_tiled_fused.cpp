// SPDX-License-Identifier: Apache-2.0
// Right: hosts 1 and 2.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"
EXPORT_KERNEL(TiledForward, FusedBackward)
