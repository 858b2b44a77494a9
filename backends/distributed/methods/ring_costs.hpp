// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of a ring, also inside Ulysses groups.
#pragma once

#include "backends/distributed/methods/merge_costs.hpp"

namespace attestone::inline backends {

/// Messages that K and V are together.
inline index messages_of(const RingVariant& variant) { return variant.messages == Messages::together ? 1 : 2; }

/// The costs of several devices, in either pass. `read` is what the backward pass reads of its queries.
void ring_forward_costs(const CostedRank&, const Attended&, const RingVariant&, RankCosts&);
void ring_backward_costs(const CostedRank&, const Attended&, const RingVariant&, const Moment& read, RankCosts&);

/// The rounding of sums at the end, when everything else is gone: dQ beside its sum, then dK and dV beside theirs,
/// which have this name.
void hold_rounded_gradients(const CostedRank&, const Attended&, const RingVariant&, std::string_view sums, RankCosts&);

}  // namespace attestone::inline backends
