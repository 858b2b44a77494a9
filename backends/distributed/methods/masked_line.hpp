// SPDX-License-Identifier: Apache-2.0
// A ring of devices that form a line, as MaxDiffusion has it: keys go towards both ends, and what lies beyond is
// masked.
#pragma once

#include "backends/distributed/costs/attended.hpp"
#include "backends/distributed/methods/ring.hpp"

namespace attestone::inline backends {

/// The wrap-free schedule (kernels/splash_attention/ring_attention_kernel.py, _custom_bidirectional_ring_forward). A
/// place takes R steps in either direction, past the ends of the line as well: there it computes a block with its own
/// keys and masks it, and passes zeros on. open_line.hpp leaves all that out, to the same bits. Of several devices.
Task<RankAnswer> masked_line_forward(Rank&, RankInputs, RingVariant);

/// The traffic and memory of a rank.
void masked_line_forward_costs(const CostedRank&, const Attended&, const RingVariant&, RankCosts&);

}  // namespace attestone::inline backends
