// SPDX-License-Identifier: Apache-2.0
// The steps of ring attention, forward and backward.
#include "backends/distributed/ring.hpp"

#include <utility>

#include "backends/distributed/context_parallel.hpp"
#include "backends/distributed/elements.hpp"
#include "backends/distributed/local_steps.hpp"
#include "backends/distributed/running_answer.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "ring",
    .summary = "queries stay, keys and values go round a ring of devices",
    .settings = ContextParallel::ring_settings(),
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<ContextParallel>("ring", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

/// K and V of one place of the ring, or their gradients.
struct KeyValue {
  KeyValue(Rank& rank, std::string_view name, const DType& key_format, const DType& value_format, index rows,
           HeldHeads heads)
      : key(rank.device, name, key_format, rows, heads.kv.count(), rank.attention.whole().shape.dim),
        value(rank.device, name, value_format, rows, heads.kv.count(), rank.attention.whole().shape.value_dim) {}
  KeyValue(Buffer k, Buffer v) : key(std::move(k)), value(std::move(v)) {}

  void add(const KeyValue& more) {
    attestone::add(more.key.all(), key.all());
    attestone::add(more.value.all(), value.all());
  }
  void release() {
    key.release();
    value.release();
  }

  Buffer key, value;
};

std::vector<Request> hop(Rank& rank, const KeyValue& out, const KeyValue& in, Messages messages) {
  const std::vector<ConstView> going{out.key.all(), out.value.all()};
  const std::vector<View> coming{in.key.all(), in.value.all()};
  return permute(rank.communicator, rank.ring, 1, going, coming, messages);
}

}  // namespace

Task<RankAnswer> ring_forward(Rank& rank, RankInputs held, RingVariant variant) {
  const HeldHeads heads = rank.held_heads();
  const index N = rank.ring.size();
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), heads, held.query};
  if (N == 1) co_return local_forward(rank, held, queries);

  const auto answer = running_answer(variant.merge, rank, queries, *variant.part);
  KeyValue current(std::move(held.key), std::move(held.value));
  for (index step = 0; step < N; ++step) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-step));
    const bool hops = step < N - 1 || variant.wasted_hop;
    std::optional<KeyValue> next;
    std::vector<Request> under_way;
    if (hops) {
      const index coming = rank.keys.of_ring(rank.ring.beside(-step - 1)).count();
      next.emplace(rank, "KV", current.key.dtype(), current.value.dtype(), coming, heads);
      under_way = hop(rank, current, *next, variant.messages);
    }
    const auto blocks = rank.attention.blocks(queries, keys);
    if (!blocks.empty()) answer->take_in(blocks, queries, {keys, current.key, current.value});
    Task<> hopped = all_of(std::move(under_way));
    co_await hopped;
    current.release();
    if (hops) current = std::move(*next);
  }
  current.release();
  held.query.release();
  co_return answer->finish();
}

Task<RankGradients> ring_backward(Rank& rank, RankSaved saved, RingVariant variant) {
  const HeldHeads heads = rank.held_heads();
  const Problem& whole = rank.attention.whole();
  const DType& f32 = dtype("f32");
  const index N = rank.ring.size();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, saved.query};
  if (N == 1) co_return local_backward(rank, saved, queries, *variant.key_gradients);

  Buffer delta = delta_of(rank, queries, saved);
  if (rank.attention.takes_delta()) saved.out.release();
  const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
  Buffer dquery(rank.device, "sum of dquery", f32, rows.count(), heads.query.count(), whole.shape.dim);
  dquery.clear();
  KeyValue current(std::move(saved.key), std::move(saved.value));
  std::optional<KeyValue> sums, coming;  // of dK and dV: those that the rank has, and those on their way to it
  std::vector<Request> sums_under_way;
  for (index step = 0; step < N; ++step) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-step));
    const index next_rows = rank.keys.of_ring(rank.ring.beside(-step - 1)).count();
    const bool hops = step < N - 1 || variant.wasted_hop;
    std::optional<KeyValue> next, share;
    std::vector<Request> under_way;
    if (hops) {
      next.emplace(rank, "KV", current.key.dtype(), current.value.dtype(), next_rows, heads);
      under_way = hop(rank, current, *next, variant.messages);
    }
    const auto blocks = rank.attention.blocks(queries, keys);
    if (!blocks.empty() || step == 0) {
      share.emplace(rank, "share of dKV", *variant.sums, *variant.sums, keys.count(), heads);
      share->key.clear();
      share->value.clear();
      const LocalKeys local{keys, current.key, current.value};
      const LocalGradients gradients{dquery, share->key, share->value, rank.shared.dbias};
      rank.attention.add_backward(blocks, queries, local, answers, gradients);
    }
    if (step == 0) {
      sums = std::move(share);
    } else {
      Task<> arrived = all_of(std::move(sums_under_way));
      co_await arrived;
      sums = std::exchange(coming, std::nullopt);
      if (share) sums->add(*share);
      share.reset();
    }
    Task<> hopped = all_of(std::move(under_way));
    co_await hopped;
    current.release();
    if (hops) current = std::move(*next);
    coming.emplace(rank, "sum of dKV", *variant.sums, *variant.sums, next_rows, heads);
    sums_under_way = hop(rank, *sums, *coming, variant.messages);
  }
  Task<> home = all_of(std::move(sums_under_way));
  co_await home;
  sums.reset();
  delta.release();
  current.release();
  for (Buffer* done : {&saved.query, &saved.out, &saved.dout, &saved.log_sum_exp}) done->release();
  Buffer dq = rounded(rank, "dquery", dquery, whole.output);
  dquery.release();
  RankGradients gradients{std::move(dq), rounded(rank, "dkey", coming->key, *variant.key_gradients),
                          rounded(rank, "dvalue", coming->value, *variant.key_gradients)};
  co_return gradients;
}

}  // namespace attestone
