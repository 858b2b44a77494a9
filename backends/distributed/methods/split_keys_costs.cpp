// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of gathered queries and returned answers.
#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/methods/split_keys.hpp"

namespace attestone::inline backends {
namespace {

/// Rows of queries, times heads, that a rank has and all have.
struct QueryRows {
  index own, all;

  explicit QueryRows(const CostedRank& rank) {
    const index heads = rank.heads.of(rank.ulysses_place).query.count();
    own = rank.queries.of_ring(rank.ring_place).count() * heads;
    all = rank.queries.all().count() * heads;
  }
};

/// Round the ring those of each place pass but for those of the place ahead, each tensor a message a hop.
void send_gathered(const CostedRank& rank, const Attended& own, index tensors, index width_of_row, RankCosts& costs) {
  for (index hop = 0; hop < rank.ring - 1; ++hop) costs.send(tensors, own.rows(hop) * width_of_row);
}

/// All rows leave but the own ones; then those of the own rows are here once for each place, in `part(rows)`, and
/// become one beside `sums`.
template <class Part>
void return_costs(const CostedRank& rank, const QueryRows& rows, const Moment& stays, const Moment& sums,
                  const Part& part, RankCosts& costs) {
  const Moment own = part(rows.own);
  costs.send((rank.ring - 1) * std::ssize(own), bytes_of(part(rows.all)) - bytes_of(own));
  Moment returned;
  for (index place = 0; place < rank.ring; ++place) returned = returned + own;
  costs.hold(stays + part(rows.all) + returned);
  costs.hold(stays + sums + returned);
}

}  // namespace

RankCosts SplitKeys::forward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const DType& in = rank.problem.input;
  const Moment query{{"query", own.queries(in)}}, shard = own.shard(0, "key", "value");
  if (rank.ring == 1) {
    local_forward_costs(rank, own, query + shard, costs);
    return costs;
  }
  const QueryRows rows(rank);
  const index row = rank.problem.shape.dim * width(in);
  const Moment gathered{{"gathered query", rows.all * row}}, sums = merged_sums(own, variant);
  const auto part = [&](index some) { return merged_part(rank, some, variant); };
  send_gathered(rank, own, 1, row, costs);
  costs.hold(query + shard + gathered);
  costs.hold(shard + gathered + sums + part(rows.all));
  return_costs(rank, rows, sums, {}, part, costs);
  hold_merged_answer(rank, own, variant, costs);
  return costs;
}

RankCosts SplitKeys::backward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const Shape& shape = rank.problem.shape;
  const DType &f32 = dtype("f32"), &in = rank.problem.input, &out = rank.problem.output;
  const Moment read = read_of_queries(rank, own, "dout"), shard = own.shard(0, "key", "value");
  if (rank.ring == 1) {
    local_backward_costs(rank, own, out, read, costs);
    return costs;
  }
  const QueryRows rows(rank);
  const bool by_delta = !rank.keeps_out;
  const index of_query = shape.dim * width(in), of_dout = shape.value_dim * width(out);
  const index of_log_sum_exp = width(rank.problem.log_sum_exp_dtype()), of_known = by_delta ? width(f32) : of_dout;
  const Moment held{{"query", rows.own * of_query},
                    {"dout", rows.own * of_dout},
                    {"log_sum_exp", rows.own * of_log_sum_exp},
                    {by_delta ? "delta" : "out", rows.own * of_known}};
  const Moment gathered{{"gathered query", rows.all * of_query},
                        {"gathered dout", rows.all * of_dout},
                        {"gathered log_sum_exp", rows.all * of_log_sum_exp},
                        {by_delta ? "gathered delta" : "gathered out", rows.all * of_known}};
  const Moment gradients{{"dKV", own.key_values(0, out)}}, sum{{"sum of dquery", own.queries(f32)}};
  const auto share = [&](index some) { return Moment{{"share of dquery", some * shape.dim * width(f32)}}; };
  send_gathered(rank, own, 4, of_query + of_dout + of_log_sum_exp + of_known, costs);
  costs.hold(read + shard + Moment{{"out", own.outs(out)}});
  costs.hold(held + shard + gathered);
  costs.hold(shard + gathered + gradients + share(rows.all));
  return_costs(rank, rows, gradients, sum, share, costs);
  costs.hold(gradients + sum + Moment{{"dquery", own.queries(out)}});
  return costs;
}

}  // namespace attestone::inline backends
