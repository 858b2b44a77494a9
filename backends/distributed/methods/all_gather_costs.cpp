// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of gathering keys, chunk by chunk of heads.
#include "backends/distributed/costs/attended.hpp"
#include "backends/distributed/methods/all_gather.hpp"

namespace attestone::inline backends {
namespace {

/// visit(chunk of heads, whether it is the last one, what is gathered of the next one meanwhile)
template <class Visit>
void for_each_chunk(const CostedRank& rank, index most, Visit visit) {
  const index count = rank.heads.chunks(most);
  const auto told = [&](index number) {
    CostedRank some = rank;
    some.heads = rank.heads.chunk(number, count);
    return some;
  };
  for (index number = 0; number < count; ++number) {
    const bool last = number == count - 1;
    const CostedRank some = told(number), next = told(last ? number : number + 1);
    const index coming = last ? 0 : Attended(next).all_key_values(rank.problem.input);
    visit(Attended(some), number == 0, last, Moment{{"gathered KV", coming}});
  }
}

}  // namespace

/// Q and own keys; the keys that are gathered, and those of the next chunk; the answer, but while the first ones come.
RankCosts AllGather::forward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const DType &in = rank.problem.input, &out = rank.problem.output;
  const Moment query{{"query", own.queries(in)}}, shard = own.shard(0, "key", "value");
  const Moment answer{{"out", own.outs(out)}, {"log_sum_exp", own.log_sum_exp()}};
  if (rank.ring == 1) {
    local_forward_costs(rank, own, query + shard, costs);
    return costs;
  }
  for_each_chunk(rank, number("chunks"), [&](const Attended& chunk, bool first, bool last, const Moment& coming) {
    const Moment gathered{{"gathered KV", chunk.all_key_values(in)}};
    for (index hop = 0; hop < rank.ring - 1; ++hop) costs.send(2, chunk.key_values(hop, in));
    if (first) costs.hold(query + shard + gathered);
    costs.hold(query + (last ? Moment{} : shard) + gathered + coming + answer);
  });
  return costs;
}

/// Beside the own keys, until all have been gathered: keys of a chunk and of the next one, and the gradients of a
/// chunk; then these come one place after the other, and the own ones are rounded.
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
  const Moment rounded{{"dkey", own.keys(0, of_keys)}, {"dvalue", own.values(0, of_keys)}};
  costs.hold(read + answered + shard);
  for_each_chunk(rank, number("chunks"), [&](const Attended& chunk, bool first, bool last, const Moment& coming) {
    const Moment gathered{{"gathered KV", chunk.all_key_values(in)}};
    const Moment gradients{{"dquery", own.queries(out)}, {"sum of dKV", chunk.all_key_values(*variant.sums)}};
    const Moment waits = last ? Moment{} : stays + shard + coming, before = first ? Moment{} : rounded;
    if (first) costs.hold(stays + shard + gathered);
    costs.hold((last ? stays : waits) + gathered + gradients + before);
    for (index hop = 0; hop < rank.ring - 1; ++hop) {
      costs.send(2, chunk.key_values(hop, in));
      costs.send(2, chunk.key_values(hop + 1, *variant.sums));
      costs.hold(waits + gradients + before + Moment{{"coming dKV", chunk.key_values(hop + 2, *variant.sums)}});
    }
    costs.hold(waits + gradients + rounded);
  });
  return costs;
}

}  // namespace attestone::inline backends
