// SPDX-License-Identifier: Apache-2.0
// What a rank does alone.
#include "backends/distributed/local_steps.hpp"

#include "backends/distributed/running_answer.hpp"

namespace attestone {

RankAnswer local_forward(Rank& rank, RankInputs& held, const LocalQueries& queries) {
  const Problem& whole = rank.attention.whole();
  const HeldRows& keys = rank.keys.of_ring(rank.ring.place);
  const index rows = queries.rows.count(), heads = queries.heads.query.count();
  Buffer out(rank.device, "out", whole.output, rows, heads, whole.shape.value_dim);
  Buffer log_sum_exp(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(), rows, heads, 1);
  const LocalKeys local{keys, held.key, held.value};
  rank.attention.forward(rank.attention.whole_blocks(queries, keys), queries, local, out, log_sum_exp);
  for (Buffer* done : {&held.query, &held.key, &held.value}) done->release();
  return {std::move(out), std::move(log_sum_exp)};
}

RankGradients local_backward(Rank& rank, RankSaved& saved, const LocalQueries& queries) {
  const Problem& whole = rank.attention.whole();
  const HeldRows& keys = rank.keys.of_ring(rank.ring.place);
  Buffer delta = delta_of(rank.device, saved.out, saved.dout);
  if (rank.attention.takes_delta()) saved.out.release();
  const auto like = [&](const char* name, const Buffer& input) {
    return Buffer(rank.device, name, whole.output, input.rows(), input.heads(), input.channels());
  };
  RankGradients gradients{like("dquery", saved.query), like("dkey", saved.key), like("dvalue", saved.value)};
  const LocalKeys local{keys, saved.key, saved.value};
  const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
  rank.attention.backward(rank.attention.whole_blocks(queries, keys), queries, local, answers, gradients.dquery,
                          gradients.dkey, gradients.dvalue);
  for (Buffer* done : {&saved.query, &saved.key, &saved.value, &saved.out, &saved.dout, &saved.log_sum_exp})
    done->release();
  return gradients;
}

index query_rows(std::span<const SequenceBlock> blocks) {
  index rows = 0;
  for (const SequenceBlock& block : blocks) rows += block.queries.count();
  return rows;
}

void add_rows(const Buffer& share, std::span<const SequenceBlock> blocks, const HeldRows& held, Buffer& sum) {
  index row = 0;
  for (const SequenceBlock& block : blocks) {
    const index count = block.queries.count(), first = held.begin(block.sequence) + block.queries.first;
    add(share.part(0, share.heads(), row, count), sum.part(0, sum.heads(), first, count));
    row += count;
  }
}

Buffer delta_of(Device& device, const Buffer& out, const Buffer& dout) {
  Buffer delta(device, "delta", dtype("f32"), out.rows(), out.heads(), 1);
  const View O = out.all(), dO = dout.all();
  for_each_element(delta.all(), [&](index, index head, index row, index) {
    double sum = 0;
    for (index c = 0; c < out.channels(); ++c) sum += O.value(0, head, row, c) * dO.value(0, head, row, c);
    delta.all().set(0, head, row, 0, sum);
  });
  return delta;
}

RankGradients rounded(Rank& rank, Buffer dquery, Buffer dkey, Buffer dvalue) {
  const auto stored = [&](const char* name, Buffer& sum) {
    Buffer result(rank.device, name, rank.attention.whole().output, sum.rows(), sum.heads(), sum.channels());
    round_into(sum.all(), result.all());
    return result;
  };
  Buffer dq = stored("dquery", dquery);
  dquery.release();
  Buffer dk = stored("dkey", dkey), dv = stored("dvalue", dvalue);
  return {std::move(dq), std::move(dk), std::move(dv)};
}

}  // namespace attestone
