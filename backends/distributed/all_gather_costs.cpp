// SPDX-License-Identifier: Apache-2.0
// What gathering keys sends and holds.
#include "backends/distributed/all_gather.hpp"
#include "backends/distributed/attended.hpp"

namespace attestone {

/// All keys twice while own ones are copied; then Q and the answer beside all keys.
RankCosts AllGather::forward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const DType &in = rank.problem.input, &out = rank.problem.output;
  const Moment query{{"query", own.queries(in)}}, shard = own.shard(0, "key", "value");
  const Moment answer{{"out", own.outs(out)}, {"log_sum_exp", own.log_sum_exp()}};
  const Moment gathered{{"gathered KV", own.all_key_values(in)}};
  if (rank.ring == 1) {
    local_forward_costs(rank, own, query + shard, costs);
    return costs;
  }
  for (index hop = 0; hop < rank.ring - 1; ++hop) costs.send(2, own.key_values(hop, in));
  costs.hold(query + shard + gathered);
  costs.hold(query + gathered + answer);
  return costs;
}

/// The call has all keys and their gradients; then those of one place come after the other, and the own ones are
/// rounded.
RankCosts AllGather::backward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const DType &in = rank.problem.input, &out = rank.problem.output, &of_keys = *variant.key_gradients;
  const Moment read = read_of_queries(rank, own, "dout"), shard = own.shard(0, "key", "value");
  if (rank.ring == 1) {
    local_backward_costs(rank, own, of_keys, read, costs);
    return costs;
  }
  const Moment answered{{"out", own.outs(out)}}, stays = rank.keeps_out ? read + answered : read;
  const Moment gathered{{"gathered KV", own.all_key_values(in)}};
  const Moment gradients{{"dquery", own.queries(out)}, {"sum of dKV", own.all_key_values(*variant.sums)}};
  costs.hold(read + answered + shard);
  costs.hold(stays + shard + gathered);
  costs.hold(stays + gathered + gradients);
  for (index hop = 0; hop < rank.ring - 1; ++hop) {
    costs.send(2, own.key_values(hop, in));
    costs.send(2, own.key_values(hop + 1, *variant.sums));
    costs.hold(gradients + Moment{{"coming dKV", own.key_values(hop + 2, *variant.sums)}});
  }
  costs.hold(gradients + Moment{{"dkey", own.keys(0, of_keys)}, {"dvalue", own.values(0, of_keys)}});
  return costs;
}

}  // namespace attestone
