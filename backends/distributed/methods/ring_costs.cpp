// SPDX-License-Identifier: Apache-2.0
// Step by step round the ring.
#include "backends/distributed/methods/ring_costs.hpp"

#include "backends/distributed/methods/gathered_ring.hpp"
#include "backends/distributed/methods/masked_line.hpp"

namespace attestone::inline backends {

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
