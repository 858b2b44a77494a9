// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of a ring in both directions.
#include <array>

#include "backends/distributed/methods/ring_bidirectional.hpp"
#include "backends/distributed/methods/ring_costs.hpp"

namespace attestone::inline backends {
namespace {

constexpr std::array<index, 2> both_ways{1, -1};

/// The half shard that goes this way, of the place so many steps behind.
HeldRows half_at(const Attended& own, index way, index step) { return half_of(own.keys_at(way * step), way < 0); }
NamedBytes half(const Attended& own, std::size_t at, index step, const char* name, const DType& format) {
  return {name, own.key_values(half_at(own, both_ways[at], step), format)};
}
/// Both halves.
Moment halves(const Attended& own, index step, const char* name, const DType& format) {
  return {half(own, 0, step, name, format), half(own, 1, step, name, format)};
}

}  // namespace

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
    for (const index way : both_ways)
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
      const bool adds = step == 0 || own.part_rows(half_at(own, both_ways[at], step)) > 0;
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

}  // namespace attestone::inline backends
