// SPDX-License-Identifier: Apache-2.0
// Right: hosts 1 and 3.
#include "../hosts/adapter.hpp"
#include "../hosts/tiled_forward.hpp"
#include "../hosts/two_pass_backward.hpp"
EXPORT_KERNEL(TiledForward, TwoPassBackward)
