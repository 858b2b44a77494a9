// SPDX-License-Identifier: Apache-2.0
// Ring attention: queries stay, keys and values go round.
#pragma once

#include "backends/distributed/costs/attended.hpp"
#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/rank/rank.hpp"
#include "reference/numerics/merge_stage.hpp"

namespace attestone::inline backends {

/// When keys and values move on, and how often.
enum class Hops {
  fewest,        ///< N - 1, one a step
  all,           ///< N, one a step: they come home
  first,         ///< N - 1, all before the first step (gathered_ring.hpp)
  to_both_ends,  ///< N either way, one a step, along a line; forward only (masked_line.hpp)
};

/// How a ring differs from others of its name.
struct RingVariant {
  Hops hops = Hops::fewest;              ///< of keys and values
  Messages messages = Messages::apart;   ///< K and V
  MergeForm merge = MergeForm::sigmoid;  ///< or rescaled_sums; shared_maximum, if inputs allow it, else rescaled_sums
  const DType* payload = nullptr;        ///< in which K and V go round, with a scale for each row; none: as they are
  const DType* part = &dtype("f32");     ///< the format of what a block answers, if it is divided
  const DType* sums = &dtype("f32");     ///< that of sums of dK and dV, and of what a block adds to them
  const DType* key_gradients = nullptr;  ///< that in which dK and dV leave the ring
  index chunks = 1;                      ///< of heads, of which a Ulysses group exchanges and attends to one at a time
};

/// H. Liu, M. Zaharia, P. Abbeel, "Ring Attention with Blockwise Transformers" (arXiv 2310.01889). At step i a rank
/// holds the keys of the place i places back, sends them on while it computes, and merges what its queries see of them.
/// A ring of one is the local call.
Task<RankAnswer> ring_forward(Rank&, RankInputs, RingVariant);

/// The keys go round once more. The sums of dK and dV travel one step behind them, take all N hops, and are home
/// then; dQ stays, its sum in f32.
Task<RankGradients> ring_backward(Rank&, RankSaved, RingVariant);

/// Messages that K and V are together.
inline index messages_of(const RingVariant& variant) { return variant.messages == Messages::together ? 1 : 2; }

/// The costs of a ring of several devices in either pass, also inside Ulysses groups. `read` is what the backward pass
/// reads of its queries.
void ring_forward_costs(const CostedRank&, const Attended&, const RingVariant&, RankCosts&);
void ring_backward_costs(const CostedRank&, const Attended&, const RingVariant&, const Moment& read, RankCosts&);

/// The rounding of sums at the end, when everything else is gone: dQ beside its sum, then dK and dV beside theirs,
/// which have this name.
void hold_rounded_gradients(const CostedRank&, const Attended&, const RingVariant&, std::string_view sums, RankCosts&);

}  // namespace attestone::inline backends
