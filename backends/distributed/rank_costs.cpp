// SPDX-License-Identifier: Apache-2.0
// Adding up what passes by and what is held.
#include "backends/distributed/rank_costs.hpp"

#include <algorithm>

#include "backends/distributed/ring.hpp"

namespace attestone {
namespace {

/// Bytes of the tensors that a rank works on after the exchange, if there is one.
class Attended {
 public:
  explicit Attended(const CostedRank& rank)
      : rank_(rank),
        shape_(rank.problem.shape),
        heads_(rank.heads.of(rank.ulysses_place)),
        rows_(rank.queries.of_ring(rank.ring_place).count()) {}

  index in() const { return rank_.problem.input.bytes(1); }
  index out_width() const { return rank_.problem.output.bytes(1); }
  index queries(index width) const { return rows_ * heads_.query.count() * shape_.dim * width; }
  index outs(index width) const { return rows_ * heads_.query.count() * shape_.value_dim * width; }
  index statistics() const { return rows_ * heads_.query.count() * f32; }
  /// Queries that a block has of the keys so many steps back: of sequences that have none there, nothing.
  index part_rows(index steps) const {
    const HeldRows &queries = rank_.queries.of_ring(rank_.ring_place), &keys = rank_.keys.of_ring(place(steps));
    index rows = 0;
    for (index sequence = 0; sequence < queries.sequences(); ++sequence)
      if (keys.count(sequence) > 0) rows += queries.count(sequence);
    return rows * heads_.query.count();
  }
  /// K and V of the place so many steps back, or their gradients.
  index key_values(index steps, index width) const {
    return rank_.keys.of_ring(place(steps)).count() * heads_.kv.count() * (shape_.dim + shape_.value_dim) * width;
  }

  static constexpr index f32 = 4;

 private:
  index place(index steps) const { return ((rank_.ring_place - steps) % rank_.ring + rank_.ring) % rank_.ring; }

  const CostedRank& rank_;
  const Shape& shape_;
  HeldHeads heads_;
  index rows_;
};

RankCosts local_forward_costs(const Attended& own) {
  return {0, 0, own.queries(own.in()) + own.key_values(0, own.in()) + own.outs(own.out_width()) + own.statistics()};
}

index width(const DType* format) { return format->bytes(1); }
index messages_of(const RingVariant& variant) { return variant.messages == Messages::together ? 1 : 2; }

/// Q, one shard, the next one, the sums, and a part; at the end the sums and the answer. Sums and parts that are not
/// divided have two numbers a row, m and l, in place of log_sum_exp.
RankCosts ring_forward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant) {
  RankCosts costs;
  const index numbers = variant.merge == MergeForm::rescaled_sums ? 2 : 1;
  const index sums = own.outs(Attended::f32) + numbers * own.statistics();
  const index part_row = rank.problem.shape.value_dim * width(variant.part) + numbers * Attended::f32;
  for (index step = 0; step < rank.ring; ++step) {
    const bool hops = step < rank.ring - 1 || variant.wasted_hop;
    const index shard = own.key_values(step, own.in());
    if (hops) costs.messages += messages_of(variant), costs.bytes += shard;
    const index coming = hops ? own.key_values(step + 1, own.in()) : 0;
    costs.peak = std::max(costs.peak, own.queries(own.in()) + sums + shard + coming + own.part_rows(step) * part_row);
  }
  costs.peak = std::max(costs.peak, own.outs(Attended::f32) + own.statistics() + own.outs(own.out_width()));
  return costs;
}

RankCosts local_backward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant) {
  const index inputs = own.queries(own.in()) + own.key_values(0, own.in()) + own.outs(own.out_width()) +
                       2 * own.statistics(),
              out = own.outs(own.out_width());
  const index gradients = own.queries(own.out_width()) + own.key_values(0, width(variant.key_gradients));
  return {0, 0, std::max(inputs + out, inputs + gradients + (rank.keeps_out ? out : 0))};
}

/// Q, dO, log_sum_exp, delta and the sum of dQ stay; two shards, and three sums of their gradients: sent, coming,
/// added.
RankCosts ring_backward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant) {
  RankCosts costs;
  const index out = own.outs(own.out_width()), kept = rank.keeps_out ? out : 0;
  const index read = own.queries(own.in()) + out + 2 * own.statistics();
  const index stays = read + kept + own.queries(Attended::f32);
  costs.peak = read + out + own.key_values(0, own.in());
  const auto sums = [&](index step) { return own.key_values(step, width(variant.sums)); };
  for (index step = 0; step < rank.ring; ++step) {
    const bool hops = step < rank.ring - 1 || variant.wasted_hop;
    const index shard = own.key_values(step, own.in()), message = messages_of(variant);
    if (hops) costs.messages += message, costs.bytes += shard;
    costs.messages += message, costs.bytes += sums(step);
    const index coming = hops ? own.key_values(step + 1, own.in()) : 0;
    const bool works = step == 0 || own.part_rows(step) > 0;
    const index before = step == 0 ? 0 : sums(step - 1) + sums(step);
    costs.peak = std::max({costs.peak, stays + shard + coming + before + (works ? sums(step) : 0),
                           stays + coming + sums(step) + sums(step + 1)});
  }
  const index home = sums(0), dquery = own.queries(own.out_width());
  if (rank.problem.output != dtype("f32"))
    costs.peak = std::max(costs.peak, own.queries(Attended::f32) + dquery + home);
  if (*variant.key_gradients != *variant.sums)
    costs.peak = std::max(costs.peak, dquery + home + own.key_values(0, width(variant.key_gradients)));
  return costs;
}

/// Rows of all heads and all rows of the rank's own heads, before and after an exchange.
struct Exchanged {
  index own_rows, all_rows, heads, own_heads;

  /// Elements of a channel that leave the rank when rows become heads, and when heads become rows.
  index to_heads() const { return own_rows * (heads - own_heads); }
  index to_rows() const { return (all_rows - own_rows) * own_heads; }
  index before() const { return own_rows * heads; }
};

Exchanged exchanged_queries(const CostedRank& rank) {
  return {rank.queries.of(rank.ring_place, rank.ulysses_place).count(), rank.queries.of_ring(rank.ring_place).count(),
          rank.problem.shape.heads, rank.heads.of(rank.ulysses_place).query.count()};
}
Exchanged exchanged_keys(const CostedRank& rank) {
  return {rank.keys.of(rank.ring_place, rank.ulysses_place).count(), rank.keys.of_ring(rank.ring_place).count(),
          rank.heads.kv_copies(), rank.heads.of(rank.ulysses_place).kv.count()};
}

}  // namespace

RankCosts forward_costs(const CostedRank& rank, const RingVariant& variant) {
  const Attended own(rank);
  const RankCosts ring = rank.ring == 1 ? local_forward_costs(own) : ring_forward_costs(rank, own, variant);
  if (rank.heads.members() == 1) return ring;
  const Shape& shape = rank.problem.shape;
  const Exchanged q = exchanged_queries(rank), k = exchanged_keys(rank);
  const index channels = shape.dim + shape.value_dim, in = own.in(), out = own.out_width();
  const index inputs = (q.before() * shape.dim + k.own_rows * shape.kv_heads * channels) * in;
  const index exchanged = own.queries(in) + own.key_values(0, in);
  const index answered = own.outs(out) + own.statistics() + q.before() * shape.value_dim * out;
  return {ring.messages + 4 * (rank.heads.members() - 1),
          ring.bytes + (q.to_heads() * shape.dim + k.to_heads() * channels) * in + q.to_rows() * shape.value_dim * out,
          std::max({inputs + exchanged, ring.peak, answered})};
}

RankCosts backward_costs(const CostedRank& rank, const RingVariant& variant) {
  const Attended own(rank);
  const RankCosts ring =
      rank.ring == 1 ? local_backward_costs(rank, own, variant) : ring_backward_costs(rank, own, variant);
  if (rank.heads.members() == 1) return ring;
  const Shape& shape = rank.problem.shape;
  const Exchanged q = exchanged_queries(rank), k = exchanged_keys(rank);
  const index channels = shape.dim + shape.value_dim, in = own.in(), out = own.out_width();
  const index saved = own.queries(in) + own.key_values(0, in) + own.outs(out) + own.statistics();
  const index douts = q.before() * shape.value_dim * out + own.outs(out);
  const index of_keys = width(variant.key_gradients);
  const index exchanged = own.queries(out) + own.key_values(0, of_keys), dquery = q.before() * shape.dim * out;
  const auto copies = [&](index dim) { return k.before() * dim * of_keys; };
  const auto sums = [&](index dim) { return k.own_rows * shape.kv_heads * dim * out; };
  index peak = std::max({saved + douts, ring.peak, exchanged + dquery + copies(channels)});
  if (rank.heads.copies() > 1)  // added up when the exchanged gradients are gone, dK first
    peak = std::max(
        {peak, dquery + copies(channels) + sums(shape.dim), dquery + sums(channels) + copies(shape.value_dim)});
  return {
      ring.messages + 4 * (rank.heads.members() - 1),
      ring.bytes + (q.to_heads() * shape.value_dim + q.to_rows() * shape.dim) * out + k.to_rows() * channels * of_keys,
      peak};
}

}  // namespace attestone
