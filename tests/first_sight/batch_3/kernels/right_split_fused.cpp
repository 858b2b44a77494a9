// SPDX-License-Identifier: Apache-2.0
// Right: flash-decoding for everything (packed heads, merged splits, sink in the merge) and the fused backward pass.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/split.hpp"

LIBRARY(Split<SplitPolicy>, FusedBackward<FusedBackwardPolicy>)
