// SPDX-License-Identifier: Apache-2.0
// A ring whose keys and values all come before the first step: what diffusers calls ring attention.
#pragma once

#include "backends/distributed/costs/attended.hpp"
#include "backends/distributed/methods/ring.hpp"

namespace attestone::inline backends {

/// huggingface/diffusers, TemplatedRingAttention: the shards of all places are gathered and kept; then a rank attends
/// to its own one, to that of the place ahead, and so on, and merges. Of several devices.
Task<RankAnswer> gathered_ring_forward(Rank&, RankInputs, RingVariant);

/// The shards are gathered once more. The sums of dK and dV go round against the order of the hops, all N of them: each
/// place adds to a shard's sum one step before the place behind it does.
Task<RankGradients> gathered_ring_backward(Rank&, RankSaved, RingVariant);

/// The traffic and memory of a rank in either pass.
void gathered_ring_forward_costs(const CostedRank&, const Attended&, const RingVariant&, RankCosts&);
void gathered_ring_backward_costs(const CostedRank&, const Attended&, const RingVariant&, const Moment& read,
                                  RankCosts&);

}  // namespace attestone::inline backends
