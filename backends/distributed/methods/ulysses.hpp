// SPDX-License-Identifier: Apache-2.0
// Ulysses: rows of all heads become all rows of some heads, and back.
#pragma once

#include "backends/distributed/costs/rank_costs.hpp"
#include "backends/distributed/methods/ring.hpp"

namespace attestone::inline backends {

/// S. A. Jacobs et al., "DeepSpeed Ulysses" (arXiv 2309.14509), around the ring of each of its groups (USP: J. Fang,
/// S. Zhao, arXiv 2405.07719). With one member it is the ring, with a ring of one it is Ulysses.
Task<RankAnswer> ulysses_forward(Rank&, RankInputs, RingVariant);

/// Q, K, V, O and log_sum_exp are those that the forward pass had after its exchange; dO is the rank's own.
Task<RankGradients> ulysses_backward(Rank&, RankSaved, RingVariant);

/// The traffic and memory of a rank in either pass.
RankCosts ulysses_forward_costs(const CostedRank&, const RingVariant&);
RankCosts ulysses_backward_costs(const CostedRank&, const RingVariant&);

}  // namespace attestone::inline backends
