// SPDX-License-Identifier: Apache-2.0
// Gather all shards, attend to one after the other.
#include "backends/distributed/methods/gathered_ring.hpp"

#include <utility>

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

}  // namespace attestone::inline backends
