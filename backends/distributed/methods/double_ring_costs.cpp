// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of a double ring.
#include "backends/distributed/methods/double_ring.hpp"
#include "backends/distributed/methods/ring_costs.hpp"

namespace attestone::inline backends {
namespace {

/// The keys of a double ring, step by step.
struct DoubleRingKeys {
  const CostedRank& rank;
  const Attended& own;
  index w = rank.inner, M = rank.ring / rank.inner;

  /// How many places back in the ring of all: so many rings back, and so many places back in that one.
  index back(index outer, index inner) const {
    const index ring = rank.ring_place / w, place = rank.ring_place % w;
    return rank.ring_place - (ring - outer + M) % M * w - (place - inner + w) % w;
  }
  index bytes(index outer, index inner) const { return own.key_values(back(outer, inner), rank.problem.input); }
  /// The buffers held: the first shard of the inner ring, unless no longer needed, and that of the next ring; the
  /// current shard until it is done, and the next one.
  Moment held(index outer, index inner, bool done) const {
    const bool goes_on = outer < M - 1;
    Moment now;
    if (goes_on || (inner == 0 && !done))
      now = outer == 0 ? own.shard(0, "key", "value") : Moment{{"KV", bytes(outer, 0)}};
    if (goes_on) now.push_back({"KV", bytes(outer + 1, 0)});
    if (inner > 0 && !done) now.push_back({"KV", bytes(outer, inner)});
    if (inner < w - 1) now.push_back({"KV", bytes(outer, inner + 1)});
    return now;
  }
  /// Counts the messages sent in one step of an inner ring.
  void send(index outer, index inner, index messages, RankCosts& costs) const {
    if (inner == 0 && outer < M - 1) costs.send(messages, bytes(outer, 0));
    if (inner < w - 1) costs.send(messages, bytes(outer, inner));
  }
};

}  // namespace

RankCosts DoubleRing::forward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const Moment query{{"query", own.queries(rank.problem.input)}};
  if (rank.ring == 1) {
    local_forward_costs(rank, own, query + own.shard(0, "key", "value"), costs);
    return costs;
  }
  const DoubleRingKeys keys{rank, own};
  const Moment stays = query + merged_sums(own, variant);
  for (index outer = 0; outer < keys.M; ++outer)
    for (index inner = 0; inner < keys.w; ++inner) {
      keys.send(outer, inner, messages_of(variant), costs);
      costs.hold(stays + keys.held(outer, inner, false) +
                 merged_part(rank, own.part_rows(keys.back(outer, inner)), variant));
    }
  hold_merged_answer(rank, own, variant, costs);
  return costs;
}

/// The costs of a ring; sums take a hop after each block, but in inner rings of one, and one after each inner ring.
RankCosts DoubleRing::backward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const Moment read = read_of_queries(rank, own, "dout");
  if (rank.ring == 1) {
    local_backward_costs(rank, own, *variant.key_gradients, read, costs);
    return costs;
  }
  const DoubleRingKeys keys{rank, own};
  const Moment out{{"out", own.outs(rank.problem.output)}}, sum{{"sum of dquery", own.queries(dtype("f32"))}};
  const Moment stays = rank.keeps_out ? read + sum + out : read + sum;
  costs.hold(read + out + own.shard(0, "key", "value"));
  Moment sums;  // those that the rank has
  const auto hop_of_sums = [&](const Moment& kept, index outer, index inner) {
    costs.send(messages_of(variant), sums.front().bytes);
    const Moment coming{{"sum of dKV", own.key_values(keys.back(outer, inner), *variant.sums)}};
    costs.hold(stays + kept + sums + coming);
    return coming;
  };
  Moment coming;
  for (index outer = 0; outer < keys.M; ++outer) {
    for (index inner = 0; inner < keys.w; ++inner) {
      keys.send(outer, inner, messages_of(variant), costs);
      const index back = keys.back(outer, inner);
      const Moment share{{"share of dKV", own.key_values(back, *variant.sums)}};
      const bool is_first = outer == 0 && inner == 0, adds = is_first || own.part_rows(back) > 0;
      costs.hold(stays + keys.held(outer, inner, false) + sums + coming + (adds ? share : Moment{}));
      sums = is_first ? share : coming;
      coming.clear();
      if (keys.w > 1) coming = hop_of_sums(keys.held(outer, inner, true), outer, inner + 1);
    }
    if (keys.M == 1) continue;
    if (keys.w > 1) sums = coming;
    const bool goes_on = outer < keys.M - 1;
    coming = hop_of_sums(goes_on ? Moment{{"KV", keys.bytes(outer + 1, 0)}} : Moment{}, outer + 1, 0);
  }
  hold_rounded_gradients(rank, own, variant, "sum of dKV", costs);
  return costs;
}

}  // namespace attestone::inline backends
