// SPDX-License-Identifier: Apache-2.0
// Step 11 of the ladder: many devices, each with a part of the rows, and the keys go round.
#pragma once

#include "reference/attention/answer.hpp"
#include "reference/attention/gradient.hpp"

/// @page ladder_11_ring 11. Ring attention
///
/// Deal the rows of a sequence to N devices: device r holds the r-th part of the queries and of the keys. Queries stay.
/// At step i device r computes the answer of its queries to the keys of part r - i (modulo N) and merges it, as in step
/// 5, with what it has; meanwhile it hands these keys on to device r + 1. After N steps, and N - 1 hops, every query
/// has met every key, and no device ever held more than its own queries and two parts of the keys (Liu, Zaharia &
/// Abbeel, arXiv 2310.01889).
///
/// The meaning of a pair does not depend on its device: masks, positions and dropout go by the numbers of the whole
/// sequence. A causal mask leaves device r nothing to do with the parts behind its own, so the first device waits most
/// of the time; dealing part r and part 2N - 1 - r of 2N to device r makes the work even (zigzag).
///
/// Backward the keys go round again. With the L and delta of the whole row, as in step 8, each pair sends its share by
/// itself. \f$ dQ \f$ stays with its queries. \f$ dK \f$ and \f$ dV \f$ belong to keys that are on their way: the sums
/// travel along with them, one step behind, and are at home after N hops, one more than the keys themselves need.
///
/// Three traps: a sink is merged once, not once for each part; the sums that arrive are added to, not replaced; and an
/// empty part, as of a device beyond the end of a short sequence, has L = -infinity and changes nothing.

namespace attestone {

Answer ring_attention(const Problem&, const Inputs&, index devices = 3);

/// The gradients of <O, dO>, where `answer` is that of the forward pass.
Gradient ring_gradient(const Problem&, const Inputs&, const Answer& answer, index devices = 3);

}  // namespace attestone
