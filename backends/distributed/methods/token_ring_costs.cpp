// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of travelling queries.
#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/methods/ring_costs.hpp"
#include "backends/distributed/methods/token_ring.hpp"

namespace attestone::inline backends {
namespace {

/// A message for each of these.
void send_each(const Moment& buffers, RankCosts& costs) { costs.send(std::ssize(buffers), bytes_of(buffers)); }

/// Step by step: visitors(i) are what is here of the queries i places ahead, answers(i) what becomes of them, both
/// under the names that they have on this rank; `keys` is what stays until the last of them have been here, `sums` to
/// the end.
template <class Visitors, class Answers>
void travel_costs(index places, const Moment& keys, const Moment& sums, const Visitors& visitors,
                  const Answers& answers, RankCosts& costs) {
  for (index step = 0; step <= places; ++step) {
    Moment now = sums;
    if (step < places) now = now + keys + visitors(step) + answers(step);
    if (step < places - 1) {
      now = now + visitors(step + 1);
      send_each(visitors(step), costs);
    }
    if (step > 1) {
      now = now + answers(step - 1) + answers(0);  // those that return to others, and those to this rank
      send_each(answers(step - 1), costs);
    }
    costs.hold(now);
  }
}

}  // namespace

RankCosts TokenRing::forward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const Moment keys = own.shard(0, "key", "value");
  const auto visitors = [&](index step) {
    return Moment{{step == 0 ? "query" : "visiting query", own.queries(rank.problem.input, -step)}};
  };
  if (rank.ring == 1) {
    local_forward_costs(rank, own, visitors(0) + keys, costs);
    return costs;
  }
  const auto answers = [&](index step) { return merged_part(rank, own.rows(-step), variant); };
  travel_costs(rank.ring, keys, merged_sums(own, variant), visitors, answers, costs);
  hold_merged_answer(rank, own, variant, costs);
  return costs;
}

RankCosts TokenRing::backward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const DType &f32 = dtype("f32"), &in = rank.problem.input, &out = rank.problem.output;
  const Moment read = read_of_queries(rank, own, "dout"), shard = own.shard(0, "key", "value");
  if (rank.ring == 1) {
    local_backward_costs(rank, own, *variant.key_gradients, read, costs);
    return costs;
  }
  costs.hold(read + shard + Moment{{"out", own.outs(out)}});
  const auto visitors = [&](index step) {
    const bool here = step == 0;
    Moment all{{here ? "query" : "visiting query", own.queries(in, -step)},
               {here ? "dout" : "visiting dout", own.outs(out, -step)},
               {here ? "log_sum_exp" : "visiting log_sum_exp", own.log_sum_exp(-step)}};
    if (rank.keeps_out)
      all.push_back({here ? "out" : "visiting out", own.outs(out, -step)});
    else
      all.push_back({here ? "delta" : "visiting delta", own.numbers(-step)});
    return all;
  };
  const auto shares = [&](index step) { return Moment{{"share of dquery", own.queries(f32, -step)}}; };
  const index key_values = own.key_values(0, f32);
  const Moment sums{{"sum of dquery", own.queries(f32)}, {"sum of dKV", key_values}};
  travel_costs(rank.ring, shard + Moment{{"share of dKV", key_values}}, sums, visitors, shares, costs);
  hold_rounded_gradients(rank, own, variant, "sum of dKV", costs);
  return costs;
}

}  // namespace attestone::inline backends
