// SPDX-License-Identifier: Apache-2.0
// Ring attention: queries stay, keys and values go round a ring of devices.
#include "backends/distributed/methods/ring.hpp"

#include <utility>

#include "backends/distributed/methods/context_parallel.hpp"
#include "backends/distributed/methods/gathered_ring.hpp"
#include "backends/distributed/methods/masked_line.hpp"
#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/methods/travelling_keys.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/ring_norms.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "backends/distributed/rank/staying_queries.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "ring",
    .summary = "queries stay, keys and values go round a ring of devices",
    .settings = ContextParallel::ring_settings(),
    .examples = ContextParallel::ring_examples(),
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<ContextParallel>("ring", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

}  // namespace

Task<RankAnswer> ring_forward(Rank& rank, RankInputs held, RingVariant variant) {
  const index N = rank.ring.size();
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  if (N == 1) co_return local_forward(rank, held, queries);
  if (variant.hops == Hops::first) {
    Task<RankAnswer> gathered = gathered_ring_forward(rank, std::move(held), variant);
    co_return co_await gathered;
  }
  if (variant.hops == Hops::to_both_ends) {
    Task<RankAnswer> line = masked_line_forward(rank, std::move(held), variant);
    co_return co_await line;
  }

  std::optional<Buffer> norms;
  if (variant.merge == MergeForm::shared_maximum) {
    Task<Buffer> gathered = gather_norms(rank, held);
    norms = co_await gathered;
  }
  const auto answer = norms && fixed_maxima_hold(rank, *norms)
                          ? running_answer(rank, queries, *norms)
                          : running_answer(variant.merge, rank, queries, *variant.part);
  norms.reset();
  TravellingKeys keys(rank, {std::move(held.key), std::move(held.value)}, variant);
  for (index step = 0; step < N; ++step) {
    keys.send();
    const auto blocks = rank.attention.blocks(queries, keys.here().rows);
    if (!blocks.empty()) answer->take_in(blocks, queries, keys.here());
    Task<> arrived = keys.arrive();
    co_await arrived;
  }
  keys.release();
  held.query.release();
  co_return answer->finish();
}

Task<RankGradients> ring_backward(Rank& rank, RankSaved saved, RingVariant variant) {
  const index N = rank.ring.size();
  if (N == 1) {
    const LocalQueries own{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
    co_return local_backward(rank, saved, own, *variant.key_gradients);
  }
  if (variant.hops == Hops::first) {
    Task<RankGradients> gathered = gathered_ring_backward(rank, std::move(saved), variant);
    co_return co_await gathered;
  }
  StayingQueries queries(rank, saved);
  TravellingKeys keys(rank, {std::move(saved.key), std::move(saved.value)}, variant);
  std::optional<KeyValue> sums;  // of dK and dV, as far as the ranks behind have come
  Hop next_sums;
  for (index step = 0; step < N; ++step) {
    const index next_rows = keys.next_rows();
    keys.send();
    std::optional<KeyValue> share = queries.share(keys.here(), *variant.sums, step == 0);
    if (step == 0) {
      sums = std::move(share);
    } else {
      Task<> arrived = next_sums.finished();
      co_await arrived;
      sums = sum_of(*std::move(next_sums.coming), share);
      share.reset();
    }
    Task<> here = keys.arrive();
    co_await here;
    next_sums = hop(rank, rank.ring, 1, *sums, "sum of dKV", next_rows, variant.messages);
  }
  Task<> home = next_sums.finished();
  co_await home;
  sums.reset();
  keys.release();
  co_return queries.finish(*next_sums.coming, *variant.key_gradients);
}

// Costs: what a rank sends and holds, in closed form.

namespace {

/// The norms that every place gathers from all, before maxima are fixed.
Moment norms(const CostedRank& rank, const RingVariant& variant) {
  if (variant.merge != MergeForm::shared_maximum) return {};
  const HeldHeads heads = rank.heads.of(rank.ulysses_place);
  return {{"norms", rank.ring * (heads.query.count() + heads.kv.count()) * width(dtype("f32"))}};
}

/// The travelling buffers of the place so many steps back.
Moment travelling(const CostedRank& rank, const Attended& own, index step, const RingVariant& variant) {
  if (!variant.payload) return {{"KV", own.key_values(step, rank.problem.input)}};
  return {{"KV codes", own.key_values(step, *variant.payload)}, {"KV scales", own.key_numbers(step)}};
}

/// Codes stay beside what is read of them.
Moment codes_beside(const CostedRank& rank, const Attended& own, index step, const RingVariant& variant) {
  return variant.payload ? travelling(rank, own, step, variant) : Moment{};
}

void send_keys(const CostedRank& rank, const Attended& own, index step, const RingVariant& variant, RankCosts& costs) {
  const Moment sent = travelling(rank, own, step, variant);
  costs.send(messages_of(variant), sent.front().bytes);
  if (variant.payload) costs.send(1, sent.back().bytes);
}

}  // namespace

/// Q, one shard, the next one, the sums, and a part; at the end the sums and the answer.
void ring_forward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant, RankCosts& costs) {
  if (variant.hops == Hops::first) return gathered_ring_forward_costs(rank, own, variant, costs);
  if (variant.hops == Hops::to_both_ends) return masked_line_forward_costs(rank, own, variant, costs);
  const Moment known = norms(rank, variant), sums = merged_sums(own, variant);
  if (!known.empty()) costs.hold(known + own.held_query() + own.held_shard(0) + sums);
  for (index hop = 0; !known.empty() && hop < rank.ring - 1; ++hop) costs.send(1, bytes_of(known) / rank.ring);
  for (index step = 0; step < rank.ring; ++step) {
    Moment now = sums + own.held_query() + own.held_shard(step) + codes_beside(rank, own, step, variant);
    if (step < rank.ring - 1 || variant.hops == Hops::all) {
      send_keys(rank, own, step, variant, costs);
      now = now + travelling(rank, own, step + 1, variant);
    }
    costs.hold(now + merged_part(rank, own.part_rows(step), variant));
  }
  hold_merged_answer(rank, own, variant, costs);
}

/// `read` and the sum of dQ stay; two shards, and three sums of their gradients: sent, coming, added.
void ring_backward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant, const Moment& read,
                         RankCosts& costs) {
  if (variant.hops == Hops::first) return gathered_ring_backward_costs(rank, own, variant, read, costs);
  const Moment out{{"out", own.outs(rank.problem.output)}}, sum{{"sum of dquery", own.queries(dtype("f32"))}};
  const Moment stays = rank.keeps_out ? read + sum + out : read + sum;
  const auto sums = [&](index step) { return own.key_values(step, *variant.sums); };
  costs.hold(read + out + own.shard(0, "key", "value"));
  for (index step = 0; step < rank.ring; ++step) {
    const bool hops = step < rank.ring - 1 || variant.hops == Hops::all;
    if (hops) send_keys(rank, own, step, variant, costs);
    costs.send(messages_of(variant), sums(step));
    const Moment coming = hops ? travelling(rank, own, step + 1, variant) : Moment{};
    Moment now = stays + own.shard(step, "key", "value") + codes_beside(rank, own, step, variant) + coming;
    if (step == 0 || own.part_rows(step) > 0) now.push_back({"share of dKV", sums(step)});
    const std::string_view sent = step == 1 ? "share of dKV" : "sum of dKV";
    if (step > 0) now = now + Moment{{sent, sums(step - 1)}, {"sum of dKV", sums(step)}};
    costs.hold(now);
    const std::string_view here = step == 0 ? "share of dKV" : "sum of dKV";
    const bool is_home = step + 1 == rank.ring;  // codes that come home are not read again
    const Moment next =
        is_home ? coming : own.shard(step + 1, "key", "value") + codes_beside(rank, own, step + 1, variant);
    costs.hold(stays + next + Moment{{here, sums(step)}, {"sum of dKV", sums(step + 1)}});
  }
  hold_rounded_gradients(rank, own, variant, "sum of dKV", costs);
}

void hold_rounded_gradients(const CostedRank& rank, const Attended& own, const RingVariant& variant,
                            std::string_view sums, RankCosts& costs) {
  const DType &output = rank.problem.output, &of_keys = *variant.key_gradients;
  const Moment rounded{{"dquery", own.queries(output)}, {sums, own.key_values(0, *variant.sums)}};
  costs.hold(rounded + Moment{{"sum of dquery", own.queries(dtype("f32"))}});
  costs.hold(rounded + Moment{{"dkey", own.keys(0, of_keys)}, {"dvalue", own.values(0, of_keys)}});
}

}  // namespace attestone::inline backends
