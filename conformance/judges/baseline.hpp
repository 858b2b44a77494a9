// SPDX-License-Identifier: Apache-2.0
// The low-precision baseline that other projects compare with: plain attention, every intermediate in the input format.
#pragma once

#include <vector>

#include "reference/tensors.hpp"

namespace attestone {

/// O in the order batch, head, query, channel. The recipe of the tests of FlashAttention 2: k' = fl(k scale), s =
/// fl(q.k') with f32 sums, softcap and bias each rounded, softmax in f32 rounded once, fl(P v), empty rows 0.
std::vector<double> low_precision_baseline(const Problem&, const Inputs&);

}  // namespace attestone
