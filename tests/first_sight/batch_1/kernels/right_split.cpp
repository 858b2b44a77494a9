// SPDX-License-Identifier: Apache-2.0
// The right kernel of the host "split", with the fused backward pass.
#include "../hosts/fused_backward.hpp"
#include "../hosts/split_forward.hpp"

KERNEL(SplitForward, FusedBackward)
