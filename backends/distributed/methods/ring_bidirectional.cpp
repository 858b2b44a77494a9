// SPDX-License-Identifier: Apache-2.0
// Bidirectional ring: half of each shard of keys and values goes round one way, the other half the other way.
#include <array>

#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/methods/ring_method.hpp"
#include "backends/distributed/rank/half_shards.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "backends/distributed/rank/staying_queries.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

/// Ring attention (H. Liu et al., arXiv 2310.01889) where links carry as much in one direction as in the other, as
/// those of a torus do: the same bytes, half of them each way.
class BidirectionalRing final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  index key_parts(const Mesh& mesh) const override { return mesh.places() == 1 ? 1 : 2 * mesh.places(); }
  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

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

// Costs: what a rank sends and holds, in closed form.

constexpr std::array<index, 2> directions{1, -1};

/// The half shard that goes this way, of the place so many steps behind.
HeldRows half_at(const Attended& own, index way, index step) { return half_of(own.keys_at(way * step), way < 0); }
NamedBytes half(const Attended& own, std::size_t at, index step, const char* name, const DType& format) {
  return {name, own.key_values(half_at(own, directions[at], step), format)};
}
/// Both halves.
Moment halves(const Attended& own, index step, const char* name, const DType& format) {
  return {half(own, 0, step, name, format), half(own, 1, step, name, format)};
}

RankCosts BidirectionalRing::forward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const DType& in = rank.problem.input;
  const Moment query{{"query", own.queries(in)}}, shard = own.shard(0, "key", "value");
  if (rank.ring == 1) {
    local_forward_costs(rank, own, query + shard, costs);
    return costs;
  }
  costs.hold(query + shard + halves(own, 0, "KV", in));
  for (index step = 0; step < rank.ring; ++step) {
    Moment now = query + merged_sums(own, variant) + halves(own, step, "KV", in);
    if (step < rank.ring - 1) {
      now = now + halves(own, step + 1, "KV", in);
      for (const NamedBytes& half : halves(own, step, "KV", in)) costs.send(messages_of(variant), half.bytes);
    }
    for (const index way : directions)
      costs.hold(now + merged_part(rank, own.part_rows(half_at(own, way, step)), variant));
  }
  hold_merged_answer(rank, own, variant, costs);
  return costs;
}

/// The costs of two rings, which take turns with the share of a block.
RankCosts BidirectionalRing::backward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const DType &in = rank.problem.input, &format = *variant.sums;
  const Moment read = read_of_queries(rank, own, "dout"), shard = own.shard(0, "key", "value");
  if (rank.ring == 1) {
    local_backward_costs(rank, own, *variant.key_gradients, read, costs);
    return costs;
  }
  const Moment out{{"out", own.outs(rank.problem.output)}}, sum{{"sum of dquery", own.queries(dtype("f32"))}};
  const Moment stays = rank.keeps_out ? read + sum + out : read + sum;
  costs.hold(read + out + shard);
  costs.hold(stays + shard + halves(own, 0, "KV", in));
  std::array<Moment, 2> keys, sums;  // of each way: what it has, and what comes
  for (index step = 0; step < rank.ring; ++step) {
    const bool hops = step < rank.ring - 1;
    for (const std::size_t at : {0, 1}) {
      keys[at] = {half(own, at, step, "KV", in)};
      if (hops) keys[at].push_back(half(own, at, step + 1, "KV", in));
      if (hops) costs.send(messages_of(variant), keys[at].front().bytes);
    }
    for (const std::size_t at : {0, 1}) {
      const NamedBytes share = half(own, at, step, "share of dKV", format);
      const bool adds = step == 0 || own.part_rows(half_at(own, directions[at], step)) > 0;
      costs.hold(stays + keys[0] + keys[1] + sums[0] + sums[1] + (adds ? Moment{share} : Moment{}));
      sums[at] = {step == 0 ? share : sums[at].back()};
    }
    for (const std::size_t at : {0, 1}) {
      keys[at].erase(keys[at].begin());
      costs.send(messages_of(variant), sums[at].front().bytes);
      sums[at].push_back(half(own, at, step + 1, "sum of dKV", format));
      costs.hold(stays + keys[0] + keys[1] + sums[0] + sums[1]);
    }
  }
  costs.hold(stays + halves(own, 0, "sum of dKV", format) + Moment{{"sum of dKV", own.key_values(0, format)}});
  hold_rounded_gradients(rank, own, variant, "sum of dKV", costs);
  return costs;
}

}  // namespace
}  // namespace attestone::inline backends
