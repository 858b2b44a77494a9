// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of Ulysses groups, around the ring of each of their members.
#include "backends/distributed/methods/ring_costs.hpp"
#include "backends/distributed/methods/ulysses.hpp"

namespace attestone::inline backends {
namespace {

/// The rows of a rank before an exchange, of the heads of all members, and what of them leaves it.
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
  return {rank.queries, rank, rank.heads.query_heads(), rank.heads.of(rank.ulysses_place).query.count()};
}
Exchanged exchanged_keys(const CostedRank& rank) {
  return {rank.keys, rank, rank.heads.kv_heads(), rank.heads.of(rank.ulysses_place).kv.count()};
}

/// The inside of an exchange: a ring, or one call.
RankCosts attention_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant,
                          const Moment& inputs) {
  RankCosts costs;
  if (rank.ring == 1)
    local_forward_costs(rank, own, inputs, costs);
  else
    ring_forward_costs(rank, own, variant, costs);
  return costs;
}

}  // namespace

/// Chunk by chunk: inputs of all heads until the last one has left, and answers of all chunks before.
RankCosts ulysses_forward_costs(const CostedRank& rank, const RingVariant& variant) {
  const Shape& shape = rank.problem.shape;
  const DType &in = rank.problem.input, &out = rank.problem.output;
  const index rows = exchanged_queries(rank).own_rows(), keys = exchanged_keys(rank).own_rows() * shape.kv_heads;
  const Moment inputs{{"query", rows * shape.heads * shape.dim * width(in)},
                      {"key", keys * shape.dim * width(in)},
                      {"value", keys * shape.value_dim * width(in)}};
  const index members = rank.heads.members();
  if (members == 1) return attention_costs(rank, Attended(rank), variant, inputs);

  RankCosts costs;
  Moment outs, log_sum_exps;
  const index chunks = rank.heads.chunks(variant.chunks);
  for (index number = 0; number < chunks; ++number) {
    CostedRank some = rank;
    some.heads = rank.heads.chunk(number, chunks);
    const Attended own(some);
    const Exchanged q = exchanged_queries(some), k = exchanged_keys(some);
    const Moment exchanged{{"exchanged query", own.queries(in)},
                           {"exchanged key", own.keys(0, in)},
                           {"exchanged value", own.values(0, in)}};
    const Moment answers = outs + log_sum_exps;
    costs.hold(inputs + exchanged + answers);
    const Moment held = number < chunks - 1 ? inputs + answers : answers;
    costs.add(attention_costs(some, own, variant, exchanged), held);
    outs.push_back({"out", q.before() * shape.value_dim * width(out)});
    log_sum_exps.push_back({"log_sum_exp", own.log_sum_exp()});
    costs.hold(held + Moment{{"out", own.outs(out)}, outs.back(), log_sum_exps.back()});
    const index in_bytes = q.to_heads() * shape.dim + k.to_heads() * (shape.dim + shape.value_dim);
    costs.send(4 * (members - 1), in_bytes * width(in) + q.to_rows() * shape.value_dim * width(out));
  }
  if (chunks > 1) {  // put together, log_sum_exp first
    const Moment log_sum_exp{{"log_sum_exp", bytes_of(log_sum_exps)}};
    costs.hold(outs + log_sum_exps + log_sum_exp);
    costs.hold(outs + log_sum_exp + Moment{{"out", bytes_of(outs)}});
  }
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

}  // namespace attestone::inline backends
