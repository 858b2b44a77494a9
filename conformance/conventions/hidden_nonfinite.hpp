// SPDX-License-Identifier: Apache-2.0
// NaN and infinities behind the mask, and where they may spread: by convention.
#pragma once

#include "conformance/conventions/touched_gradients.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/problem/conventions.hpp"

namespace attestone::inline conformance {

/// True if there is something that may spread in kernels of these conventions.
bool may_spread(const Conventions&, const Inputs&);

/// True if NaN or infinities may spread into this row.
bool may_spread_into(const AttentionRow&, const Problem&, const Inputs&, const VisiblePairs&);

/// For each row from which a key of its own sequence and kv head is hidden whose K or V is not finite: what a weight of
/// 0 times that makes of O, NaN in the channels in which V is not finite, and in all of them where K is not. Then
/// log_sum_exp and max_logits may be NaN or +infinity. So they may where the query is not finite and any key is hidden:
/// then the hidden scores are not.
void admit_spread(Truth&, const Problem&, const Inputs&, const VisiblePairs&);

/// Admits NaN in dQ, dBias and dSink of such a row, and with them in all of dK and dV of its kv head.
void admit_spread(GradientTruth&, const Problem&, const Inputs&, const VisiblePairs&);

}  // namespace attestone::inline conformance
