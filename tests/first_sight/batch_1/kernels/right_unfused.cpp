// SPDX-License-Identifier: Apache-2.0
// The right kernel of the host "unfused", with the fused backward pass.
#include "../hosts/fused_backward.hpp"
#include "../hosts/unfused_forward.hpp"

KERNEL(UnfusedForward, FusedBackward)
