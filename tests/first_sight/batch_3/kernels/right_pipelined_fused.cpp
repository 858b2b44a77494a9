// SPDX-License-Identifier: Apache-2.0
// Right: the pipelined forward pass (weights in the input format) and the fused backward pass.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

LIBRARY(Pipelined<PipelinedPolicy>, FusedBackward<FusedBackwardPolicy>)
