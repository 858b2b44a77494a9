// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of a ring whose shards are gathered first.
#include "backends/distributed/methods/gathered_ring.hpp"
#include "backends/distributed/methods/ring_costs.hpp"

namespace attestone::inline backends {
namespace {

/// The own shard, and those that have come, from the first place ahead that is still needed on.
Moment shards_from(const CostedRank& rank, const Attended& own, index step, const Moment& first) {
  const DType& in = rank.problem.input;
  Moment all = step == 0 ? first : Moment{};
  for (index ahead = step == 0 ? 1 : step; ahead < rank.ring; ++ahead)
    all.push_back({"gathered KV", own.key_values(-ahead, in)});
  return all;
}

void send_shards(const CostedRank& rank, const Attended& own, const RingVariant& variant, RankCosts& costs) {
  for (index hop = 0; hop < rank.ring - 1; ++hop)
    costs.send(messages_of(variant), own.key_values(hop, rank.problem.input));
}

}  // namespace

/// Q, all shards, the sums, and a part; at the end the sums and the answer.
void gathered_ring_forward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant,
                                 RankCosts& costs) {
  send_shards(rank, own, variant, costs);
  for (index step = 0; step < rank.ring; ++step)
    costs.hold(own.held_query() + shards_from(rank, own, step, own.held_shard(0)) + merged_sums(own, variant) +
               merged_part(rank, own.part_rows(-step), variant));
  hold_merged_answer(rank, own, variant, costs);
}

/// `read` and the sum of dQ stay; all shards, and three sums of their gradients: sent, coming, added.
void gathered_ring_backward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant,
                                  const Moment& read, RankCosts& costs) {
  const Moment out{{"out", own.outs(rank.problem.output)}}, sum{{"sum of dquery", own.queries(dtype("f32"))}};
  const Moment stays = rank.keeps_out ? read + sum + out : read + sum, first = own.shard(0, "key", "value");
  const auto sums = [&](index step) { return own.key_values(-step, *variant.sums); };
  costs.hold(read + out + first);
  send_shards(rank, own, variant, costs);
  for (index step = 0; step < rank.ring; ++step) {
    costs.send(messages_of(variant), sums(step));
    Moment now = stays + shards_from(rank, own, step, first);
    if (step == 0 || own.part_rows(-step) > 0) now.push_back({"share of dKV", sums(step)});
    const std::string_view sent = step == 1 ? "share of dKV" : "sum of dKV";
    if (step > 0) now = now + Moment{{sent, sums(step - 1)}, {"sum of dKV", sums(step)}};
    costs.hold(now);
    const std::string_view here = step == 0 ? "share of dKV" : "sum of dKV";
    costs.hold(stays + shards_from(rank, own, step + 1, first) +
               Moment{{here, sums(step)}, {"sum of dKV", sums(step + 1)}});
  }
  hold_rounded_gradients(rank, own, variant, "sum of dKV", costs);
}

}  // namespace attestone::inline backends
