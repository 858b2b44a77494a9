// SPDX-License-Identifier: Apache-2.0
// Double ring: keys and values go round rings of neighbours, and from ring to ring.
#include <utility>

#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/methods/ring_method.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "backends/distributed/rank/staying_queries.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

/// D. Gu et al., "LoongTrain" (arXiv 2406.18485): while keys go round an inner ring, those that it began with are on
/// their way to the next ring, which has more time for them.
class DoubleRing final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

const Registration<RankProgramEntry> registered{{
    .name = "double_ring",
    .summary = "keys and values go round rings of neighbours, and from ring to ring",
    .settings = RingMethod::ring_settings(),
    .examples = RingMethod::ring_examples(),
    .meshes = {"inner:1+outer:1", "inner:2+outer:2", "inner:3+outer:2", "inner:2+outer:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<DoubleRing>("double_ring", std::vector<std::string_view>{"inner", "outer", "batch"},
                                          settings);
    },
}};

/// Keys of the place so many rings back, and so many places back in its ring.
const HeldRows& keys_of(const Rank& rank, index outer, index inner) {
  return rank.keys.of_ring(rank.outer.beside(-outer) * rank.inner.size() + rank.inner.beside(-inner));
}

Task<RankAnswer> DoubleRing::forward(Rank& rank, RankInputs held) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  const RingVariant variant = this->variant(rank);
  const index w = rank.inner.size(), M = rank.outer.size();
  const auto answer = running_answer(variant.merge, rank, queries, *variant.part);
  KeyValue base(std::move(held.key), std::move(held.value));  // what the inner ring begins with
  for (index outer = 0; outer < M; ++outer) {
    Hop next_base;
    if (outer < M - 1)
      next_base = hop(rank, rank.outer, 1, base, "KV", keys_of(rank, outer + 1, 0).count(), variant.messages);
    std::optional<KeyValue> passing;  // what came round the inner ring
    for (index inner = 0; inner < w; ++inner) {
      const KeyValue& current = inner == 0 ? base : *passing;
      Hop next;
      if (inner < w - 1)
        next = hop(rank, rank.inner, 1, current, "KV", keys_of(rank, outer, inner + 1).count(), variant.messages);
      const HeldRows& keys = keys_of(rank, outer, inner);
      const auto blocks = rank.attention.blocks(queries, keys);
      if (!blocks.empty()) answer->take_in(blocks, queries, {keys, current.key, current.value});
      Task<> hopped = next.finished();
      co_await hopped;
      if (inner == 0 && outer == M - 1) base.release();
      passing.reset();
      if (inner < w - 1) passing = std::move(next.coming);
    }
    Task<> hopped = next_base.finished();
    co_await hopped;
    if (outer < M - 1) base = *std::move(next_base.coming);
  }
  held.query.release();
  co_return answer->finish();
}

/// Keys of a ring spread from what each place began with, so that no path leads their sums home but the inner ring:
/// they go all the way round it in each outer step, and then take one outer hop.
Task<RankGradients> DoubleRing::backward(Rank& rank, RankSaved saved) const {
  const RingVariant variant = this->variant(rank);
  if (rank.ring.size() == 1) {
    const LocalQueries own{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
    co_return local_backward(rank, saved, own, *variant.key_gradients);
  }
  const index w = rank.inner.size(), M = rank.outer.size();
  StayingQueries queries(rank, saved);
  KeyValue base(std::move(saved.key), std::move(saved.value));
  std::optional<KeyValue> sums;  // of dK and dV, as far as the ranks behind have come
  Hop next_sums;
  for (index outer = 0; outer < M; ++outer) {
    Hop next_base;
    if (outer < M - 1)
      next_base = hop(rank, rank.outer, 1, base, "KV", keys_of(rank, outer + 1, 0).count(), variant.messages);
    std::optional<KeyValue> passing;
    for (index inner = 0; inner < w; ++inner) {
      const KeyValue& current = inner == 0 ? base : *passing;
      const index next_rows = keys_of(rank, outer, inner + 1).count();
      Hop next;
      if (inner < w - 1) next = hop(rank, rank.inner, 1, current, "KV", next_rows, variant.messages);
      const HeldRows& keys = keys_of(rank, outer, inner);
      const bool is_first = outer == 0 && inner == 0;
      std::optional<KeyValue> share = queries.share({keys, current.key, current.value}, *variant.sums, is_first);
      Task<> arrived = next_sums.finished();
      co_await arrived;
      sums = is_first ? *std::exchange(share, std::nullopt) : sum_of(*std::move(next_sums.coming), share);
      share.reset();
      Task<> hopped = next.finished();
      co_await hopped;
      if (inner == 0 && outer == M - 1) base.release();
      passing.reset();
      if (inner < w - 1) passing = std::move(next.coming);
      if (w > 1) next_sums = hop(rank, rank.inner, 1, *sums, "sum of dKV", next_rows, variant.messages);
    }
    Task<> hopped = next_base.finished();
    co_await hopped;
    if (outer < M - 1) base = *std::move(next_base.coming);
    if (M == 1) continue;
    Task<> round = next_sums.finished();
    co_await round;
    if (w > 1) sums = *std::move(next_sums.coming);
    next_sums = hop(rank, rank.outer, 1, *sums, "sum of dKV", keys_of(rank, outer + 1, 0).count(), variant.messages);
  }
  Task<> home = next_sums.finished();
  co_await home;
  sums.reset();
  co_return queries.finish(*next_sums.coming, *variant.key_gradients);
}

// Costs: what a rank sends and holds, in closed form.

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

}  // namespace
}  // namespace attestone::inline backends
