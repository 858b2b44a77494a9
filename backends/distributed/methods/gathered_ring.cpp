// SPDX-License-Identifier: Apache-2.0
// Gathered ring (hops=first): each device gathers all keys and values, then attends to one shard after the other.
#include "backends/distributed/methods/gathered_ring.hpp"

#include <utility>

#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/rank/key_value.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "backends/distributed/rank/staying_queries.hpp"

namespace attestone::inline backends {
namespace {

/// The shards of all places, those of the place i places back at i: each hop passes on what came with the one before.
Task<std::vector<KeyValue>> gathered(Rank& rank, KeyValue own, Messages messages) {
  std::vector<KeyValue> shards;
  shards.push_back(std::move(own));
  for (index back = 1; back < rank.ring.size(); ++back) {
    const index rows = rank.keys.of_ring(rank.ring.beside(-back)).count();
    Hop next = hop(rank, rank.ring, 1, shards.back(), "gathered KV", rows, messages);
    Task<> hopped = next.finished();
    co_await hopped;
    shards.push_back(std::move(*next.coming));
  }
  co_return shards;
}

/// The shard of the place so many places ahead.
KeyValue& ahead(std::vector<KeyValue>& shards, index steps) {
  return shards[steps == 0 ? 0 : shards.size() - static_cast<std::size_t>(steps)];
}

}  // namespace

Task<RankAnswer> gathered_ring_forward(Rank& rank, RankInputs held, RingVariant variant) {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  KeyValue own(std::move(held.key), std::move(held.value));
  Task<std::vector<KeyValue>> gathering = gathered(rank, std::move(own), variant.messages);
  std::vector<KeyValue> shards = co_await gathering;
  const auto answer = running_answer(variant.merge, rank, queries, *variant.part);
  for (index step = 0; step < rank.ring.size(); ++step) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(step));
    KeyValue& shard = ahead(shards, step);
    const auto blocks = rank.attention.blocks(queries, keys);
    if (!blocks.empty()) answer->take_in(blocks, queries, {keys, shard.key, shard.value});
    shard.release();
  }
  held.query.release();
  co_return answer->finish();
}

Task<RankGradients> gathered_ring_backward(Rank& rank, RankSaved saved, RingVariant variant) {
  StayingQueries queries(rank, saved);
  KeyValue own(std::move(saved.key), std::move(saved.value));
  Task<std::vector<KeyValue>> gathering = gathered(rank, std::move(own), variant.messages);
  std::vector<KeyValue> shards = co_await gathering;
  std::optional<KeyValue> sums;  // of dK and dV, as far as the ranks ahead have come
  Hop next_sums;
  for (index step = 0; step < rank.ring.size(); ++step) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(step));
    KeyValue& shard = ahead(shards, step);
    std::optional<KeyValue> share = queries.share({keys, shard.key, shard.value}, *variant.sums, step == 0);
    shard.release();
    if (step == 0) {
      sums = std::move(share);
    } else {
      Task<> arrived = next_sums.finished();
      co_await arrived;
      sums = sum_of(*std::move(next_sums.coming), share);
      share.reset();
    }
    const index next_rows = rank.keys.of_ring(rank.ring.beside(step + 1)).count();
    next_sums = hop(rank, rank.ring, -1, *sums, "sum of dKV", next_rows, variant.messages);
  }
  Task<> home = next_sums.finished();
  co_await home;
  sums.reset();
  co_return queries.finish(*next_sums.coming, *variant.key_gradients);
}

// Costs: what a rank sends and holds, in closed form.

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
