// SPDX-License-Identifier: Apache-2.0
// Sizes by place, and the local call.
#include "backends/distributed/costs/attended.hpp"

namespace attestone::inline backends {

Moment operator+(Moment some, const Moment& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

index bytes_of(const Moment& buffers) {
  index bytes = 0;
  for (const NamedBytes& buffer : buffers) bytes += buffer.bytes;
  return bytes;
}

index Attended::part_rows(const HeldRows& keys) const {
  const HeldRows& queries = rank_.queries.of_ring(rank_.ring_place);
  index rows = 0;
  for (index sequence = 0; sequence < queries.sequences(); ++sequence)
    if (keys.count(sequence) > 0) rows += queries.count(sequence);
  return rows * heads_.query.count();
}

Moment Attended::shard(index step, std::string_view key, std::string_view value) const {
  const DType& in = rank_.problem.input;
  if (step == 0) return {{key, keys(0, in)}, {value, values(0, in)}};
  return {{"KV", key_values(step, in)}};
}

Moment Attended::held_shard(index step) const {
  return exchanged() ? shard(step, "exchanged key", "exchanged value") : shard(step, "key", "value");
}

Moment Attended::held_query() const {
  return {{exchanged() ? "exchanged query" : "query", queries(rank_.problem.input)}};
}

void local_forward_costs(const CostedRank& rank, const Attended& own, const Moment& held, RankCosts& costs) {
  costs.hold(held + Moment{{"out", own.outs(rank.problem.output)}, {"log_sum_exp", own.log_sum_exp()}});
}

void local_backward_costs(const CostedRank& rank, const Attended& own, const DType& key_gradients, const Moment& read,
                          RankCosts& costs) {
  const DType& output = rank.problem.output;
  const Moment held = read + own.shard(0, "key", "value"), out{{"out", own.outs(output)}};
  const Moment gradients{
      {"dquery", own.queries(output)}, {"dkey", own.keys(0, key_gradients)}, {"dvalue", own.values(0, key_gradients)}};
  costs.hold(held + out);
  costs.hold(rank.keeps_out ? held + out + gradients : held + gradients);
}

Moment read_of_queries(const CostedRank& rank, const Attended& own, std::string_view dout) {
  return {{"query", own.queries(rank.problem.input)},
          {"log_sum_exp", own.log_sum_exp()},
          {dout, own.outs(rank.problem.output)},
          {"delta", own.numbers()}};
}

}  // namespace attestone::inline backends
