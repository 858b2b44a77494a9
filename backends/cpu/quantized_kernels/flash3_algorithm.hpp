// SPDX-License-Identifier: Apache-2.0
// FlashAttention-3 in FP8.
#pragma once

#include "backends/cpu/quantized_kernels/algorithm.hpp"

namespace attestone::inline backends {

/// J. Shah et al., "FlashAttention-3" (arXiv 2407.08608), section 3.3: Q, K, V and P in e4m3 on Hopper's tensor cores.
/// Scales are those of heads, or of blocks of 128 rows of Q and `key_tile` rows of K and V; `incoherent`: Q and K are
/// rotated first. P reaches 2^8, as in hopper/softmax.h. With scales of heads O stays in the tensor core's accumulator.
CodedAlgorithm flash3_fp8(bool by_block, bool incoherent);

}  // namespace attestone::inline backends
