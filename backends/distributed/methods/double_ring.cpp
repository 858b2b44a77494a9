// SPDX-License-Identifier: Apache-2.0
// The steps of a double ring, forward and backward.
#include "backends/distributed/methods/double_ring.hpp"

#include <utility>

#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "backends/distributed/rank/staying_queries.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

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

}  // namespace

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

}  // namespace attestone::inline backends
