// SPDX-License-Identifier: Apache-2.0
// Two rings at once, one of first halves and one of second halves.
#include "backends/distributed/methods/ring_bidirectional.hpp"

#include <array>

#include "backends/distributed/rank/half_shards.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "backends/distributed/rank/staying_queries.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "ring_bidirectional",
    .summary = "half of the keys and values go round a ring of devices one way, half the other way",
    .settings = RingMethod::ring_settings(),
    .examples = RingMethod::ring_examples(),
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<BidirectionalRing>("ring_bidirectional", std::vector<std::string_view>{"ring", "batch"},
                                                 settings);
    },
}};

/// One of the two rings, as a rank sees it.
struct Way {
  Rank& rank;
  index direction;  ///< 1 for the first halves, -1 for the second ones
  KeyValue current;
  std::optional<KeyValue> sums = {};  ///< of dK and dV, as far as the ranks behind have come
  Hop next = {}, next_sums = {};

  /// The keys here at a step: the half shard of the place so many steps behind.
  HeldRows rows(index step) const {
    return half_of(rank.keys.of_ring(rank.ring.beside(-direction * step)), direction < 0);
  }
  Hop pass_on(const KeyValue& out, const char* name, index coming, Messages messages,
              From from = From::current()) const {
    return hop(rank, rank.ring, direction, out, name, rows(coming).count(), messages, from);
  }
};
using BothWays = std::array<Way, 2>;

BothWays both_ways(Rank& rank, Buffer key, Buffer value) {
  const KeyValue own(std::move(key), std::move(value));
  return {Way{rank, 1, half_of(rank, own, false)}, Way{rank, -1, half_of(rank, own, true)}};
}

}  // namespace

Task<RankAnswer> BidirectionalRing::forward(Rank& rank, RankInputs held) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  const index N = rank.ring.size();
  if (N == 1) co_return local_forward(rank, held, queries);

  const RingVariant variant = this->variant(rank);
  BothWays ways = both_ways(rank, std::move(held.key), std::move(held.value));
  const auto answer = running_answer(variant.merge, rank, queries, *variant.part);
  for (index step = 0; step < N; ++step) {
    for (Way& way : ways)
      if (step < N - 1) way.next = way.pass_on(way.current, "KV", step + 1, variant.messages);
    for (const Way& way : ways) {
      const HeldRows keys = way.rows(step);
      const auto blocks = rank.attention.blocks(queries, keys);
      if (!blocks.empty()) answer->take_in(blocks, queries, {keys, way.current.key, way.current.value});
    }
    for (Way& way : ways) {
      Task<> hopped = way.next.finished();
      co_await hopped;
      way.current.release();
      if (step < N - 1) way.current = *std::move(way.next.coming);
    }
  }
  held.query.release();
  co_return answer->finish();
}

Task<RankGradients> BidirectionalRing::backward(Rank& rank, RankSaved saved) const {
  const RingVariant variant = this->variant(rank);
  const index N = rank.ring.size();
  if (N == 1) {
    const LocalQueries own{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
    co_return local_backward(rank, saved, own, *variant.key_gradients);
  }
  StayingQueries queries(rank, saved);
  BothWays ways = both_ways(rank, std::move(saved.key), std::move(saved.value));
  for (index step = 0; step < N; ++step) {
    for (Way& way : ways)
      if (step < N - 1) way.next = way.pass_on(way.current, "KV", step + 1, variant.messages);
    for (Way& way : ways) {
      const HeldRows keys = way.rows(step);
      const LocalKeys local{keys, way.current.key, way.current.value};
      std::optional<KeyValue> share = queries.share(local, *variant.sums, step == 0);
      if (step == 0) {
        way.sums = std::move(share);
        continue;
      }
      Task<> arrived = way.next_sums.finished();
      co_await arrived;
      way.sums = sum_of(*std::move(way.next_sums.coming), share);
    }
    for (Way& way : ways) {
      Task<> hopped = way.next.finished();
      co_await hopped;
      way.current.release();
      if (step < N - 1) way.current = *std::move(way.next.coming);
      way.next_sums = way.pass_on(*way.sums, "sum of dKV", step + 1, variant.messages);
    }
  }
  for (Way& way : ways) {
    Task<> home = way.next_sums.finished();
    co_await home;
    way.sums.reset();
  }
  KeyValue sums = joined(rank, "sum of dKV", *ways[0].next_sums.coming, *ways[1].next_sums.coming);
  for (Way& way : ways) way.next_sums.coming.reset();
  co_return queries.finish(sums, *variant.key_gradients);
}

}  // namespace attestone::inline backends
