// SPDX-License-Identifier: Apache-2.0
// What Ulysses groups send and hold, around the ring of each of their members.
#include "backends/distributed/ring_costs.hpp"
#include "backends/distributed/ulysses.hpp"

namespace attestone {
namespace {

/// The rows of a rank before an exchange, of all heads, and what of them leaves it.
class Exchanged {
 public:
  Exchanged(const Shards& shards, const CostedRank& rank, index heads, index own_heads)
      : own_rows_(shards.of(rank.ring_place, rank.ulysses_place).count()),
        all_rows_(shards.of_ring(rank.ring_place).count()),
        heads_(heads),
        own_heads_(own_heads) {}

  /// Rows, times heads, that are sent when rows become heads, when heads become rows, and that are there before.
  index to_heads() const { return own_rows_ * (heads_ - own_heads_); }
  index to_rows() const { return (all_rows_ - own_rows_) * own_heads_; }
  index before() const { return own_rows_ * heads_; }
  index own_rows() const { return own_rows_; }

 private:
  index own_rows_, all_rows_, heads_, own_heads_;
};

Exchanged exchanged_queries(const CostedRank& rank) {
  return {rank.queries, rank, rank.problem.shape.heads, rank.heads.of(rank.ulysses_place).query.count()};
}
Exchanged exchanged_keys(const CostedRank& rank) {
  return {rank.keys, rank, rank.heads.kv_copies(), rank.heads.of(rank.ulysses_place).kv.count()};
}

}  // namespace

RankCosts ulysses_forward_costs(const CostedRank& rank, const RingVariant& variant) {
  RankCosts costs;
  const Attended own(rank);
  const Shape& shape = rank.problem.shape;
  const DType &in = rank.problem.input, &out = rank.problem.output;
  const Exchanged q = exchanged_queries(rank), k = exchanged_keys(rank);
  const index keys = k.own_rows() * shape.kv_heads * width(in);
  const Moment inputs{
      {"query", q.before() * shape.dim * width(in)}, {"key", keys * shape.dim}, {"value", keys * shape.value_dim}};
  const Moment exchanged{
      {"exchanged query", own.queries(in)}, {"exchanged key", own.keys(0, in)}, {"exchanged value", own.values(0, in)}};
  if (rank.ring == 1)
    local_forward_costs(rank, own, own.exchanged() ? exchanged : inputs, costs);
  else
    ring_forward_costs(rank, own, variant, costs);
  if (!own.exchanged()) return costs;
  costs.hold(inputs + exchanged);
  costs.hold(Moment{
      {"out", own.outs(out)}, {"log_sum_exp", own.log_sum_exp()}, {"out", q.before() * shape.value_dim * width(out)}});
  const index in_bytes = q.to_heads() * shape.dim + k.to_heads() * (shape.dim + shape.value_dim);
  costs.send(4 * (rank.heads.members() - 1), in_bytes * width(in) + q.to_rows() * shape.value_dim * width(out));
  return costs;
}

RankCosts ulysses_backward_costs(const CostedRank& rank, const RingVariant& variant) {
  RankCosts costs;
  const Attended own(rank);
  const Shape& shape = rank.problem.shape;
  const DType &in = rank.problem.input, &out = rank.problem.output, &of_keys = *variant.key_gradients;
  const Exchanged q = exchanged_queries(rank), k = exchanged_keys(rank);
  const std::string_view dout = own.exchanged() ? "exchanged dout" : "dout";
  const Moment saved{{"query", own.queries(in)}, {"log_sum_exp", own.log_sum_exp()}};
  const Moment read = read_of_queries(rank, own, dout);
  if (rank.ring == 1)
    local_backward_costs(rank, own, of_keys, read, costs);
  else
    ring_backward_costs(rank, own, variant, read, costs);
  if (!own.exchanged()) return costs;
  costs.hold(saved + own.shard(0, "key", "value") +
             Moment{{"out", own.outs(out)},
                    {"exchanged dout", own.outs(out)},
                    {"dout", q.before() * shape.value_dim * width(out)}});
  const Moment attended{
      {"dquery", own.queries(out)}, {"dkey", own.keys(0, of_keys)}, {"dvalue", own.values(0, of_keys)}};
  const Moment dquery{{"dquery", q.before() * shape.dim * width(out)}};
  const Moment dkey{{"dkey", k.before() * shape.dim * width(of_keys)}};
  const Moment dvalue{{"dvalue", k.before() * shape.value_dim * width(of_keys)}};
  costs.hold(attended + dquery + dkey + dvalue);
  if (rank.heads.copies() > 1) {  // added up when the exchanged gradients are gone, dK first
    const index heads = k.own_rows() * shape.kv_heads * width(out);
    const Moment own_dkey{{"dkey", heads * shape.dim}}, own_dvalue{{"dvalue", heads * shape.value_dim}};
    costs.hold(dquery + dkey + dvalue + own_dkey);
    costs.hold(dquery + own_dkey + dvalue + own_dvalue);
  }
  costs.send(4 * (rank.heads.members() - 1), (q.to_heads() * shape.value_dim + q.to_rows() * shape.dim) * width(out) +
                                                 k.to_rows() * (shape.dim + shape.value_dim) * width(of_keys));
  return costs;
}

}  // namespace attestone
