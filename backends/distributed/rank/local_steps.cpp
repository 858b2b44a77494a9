// SPDX-License-Identifier: Apache-2.0
// The steps that a rank takes alone.
#include "backends/distributed/rank/local_steps.hpp"

#include <cmath>

#include "backends/cpu/parts/sees_any_key.hpp"
#include "backends/distributed/messages/elements.hpp"

namespace attestone::inline backends {
namespace {

/// - e^(sink - L) delta
void add_to_dsink(Rank& rank, index head, double log_sum_exp, double delta) {
  if (!rank.shared.dsink) return;
  const View& sums = *rank.shared.dsink;
  const double logit = rank.attention.inputs().sink->value(0, head, 0, 0);
  sums.set(0, head, 0, 0, sums.value(0, head, 0, 0) - std::exp(logit - log_sum_exp) * delta);
}

}  // namespace

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

RankGradients local_backward(Rank& rank, RankSaved& saved, const LocalQueries& queries, const DType& key_gradients) {
  const Problem& whole = rank.attention.whole();
  const HeldRows& keys = rank.keys.of_ring(rank.ring.place);
  Buffer delta = delta_of(rank, queries, saved);
  if (rank.attention.takes_delta()) saved.out.release();
  const auto like = [&](const char* name, const DType& format, const Buffer& input) {
    return Buffer(rank.device, name, format, input.rows(), input.heads(), input.channels());
  };
  RankGradients gradients{like("dquery", whole.output, saved.query), like("dkey", key_gradients, saved.key),
                          like("dvalue", key_gradients, saved.value)};
  const LocalKeys local{keys, saved.key, saved.value};
  const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
  rank.attention.backward(rank.attention.whole_blocks(queries, keys), queries, local, answers,
                          LocalGradients{gradients.dquery, gradients.dkey, gradients.dvalue, rank.shared.dbias});
  for (Buffer* done : {&saved.query, &saved.key, &saved.value, &saved.out, &saved.dout, &saved.log_sum_exp})
    done->release();
  return gradients;
}

Buffer delta_of(Rank& rank, const LocalQueries& queries, const RankSaved& saved) {
  const LocalAttention& attention = rank.attention;
  const Interval heads = queries.heads.query;
  Buffer delta(rank.device, "delta", dtype("f32"), queries.rows.count(), heads.count(), 1);
  delta.clear();
  const View O = saved.out.all(), dO = saved.dout.all(), L = saved.log_sum_exp.all();
  for (index sequence = 0; sequence < queries.rows.sequences(); ++sequence)
    for (index head = 0; head < heads.count(); ++head) {
      const SeesAnyKey sees_any(attention.whole(), attention.inputs(), sequence, heads.first + head);
      index row = queries.rows.begin(sequence);
      for (const index query : queries.rows.of(sequence)) {
        double sum = 0;
        for (index c = 0; c < O.extents()[3]; ++c) sum += O.value(0, head, row, c) * dO.value(0, head, row, c);
        if (sees_any(query)) {
          delta.all().set(0, head, row, 0, sum);
          add_to_dsink(rank, heads.first + head, L.value(0, head, row, 0), sum);
        }
        ++row;
      }
    }
  return delta;
}

Buffer rounded(Rank& rank, const char* name, const Buffer& sum, const DType& format) {
  Buffer result(rank.device, name, format, sum.rows(), sum.heads(), sum.channels());
  round_into(sum.all(), result.all());
  return result;
}

}  // namespace attestone::inline backends
