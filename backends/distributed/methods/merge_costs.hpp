// SPDX-License-Identifier: Apache-2.0
// The memory of merging: sums, parts, and the answer beside them.
#pragma once

#include "backends/distributed/costs/attended.hpp"
#include "backends/distributed/methods/ring.hpp"

namespace attestone::inline backends {

/// The sums of a running answer: out and log_sum_exp, or out, m and l.
Moment merged_sums(const Attended&, const RingVariant&);
/// A part of so many rows, times heads.
Moment merged_part(const CostedRank&, index rows, const RingVariant&);
/// From the sums to the answer, when everything else is gone.
void hold_merged_answer(const CostedRank&, const Attended&, const RingVariant&, RankCosts&);

}  // namespace attestone::inline backends
