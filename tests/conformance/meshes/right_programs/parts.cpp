// SPDX-License-Identifier: Apache-2.0
// The calls of the local attention that rings make.
#include "tests/conformance/meshes/right_programs/parts.hpp"

#include "backends/distributed/messages/elements.hpp"

namespace attestone {
namespace {

/// O goes first, if nobody reads it any more.
Buffer sum_of_dquery(Rank& rank, const LocalQueries& queries, RankSaved& saved) {
  if (rank.attention.takes_delta()) saved.out.release();
  Buffer sum(rank.device, "sum of dquery", dtype("f32"), queries.rows.count(), queries.heads.query.count(),
             rank.attention.whole().shape.dim);
  sum.clear();
  return sum;
}

}  // namespace

void KeyPair::add(const KeyPair& more) {
  attestone::add(more.key.all(), key.all());
  attestone::add(more.value.all(), value.all());
}

Part::Part(Rank& rank, const LocalQueries& queries, const HeldRows& keys, const KeyPair& held)
    : blocks(rank.attention.blocks(queries, keys)),
      out(rank.device, "part of out", dtype("f32"), query_rows(blocks), queries.heads.query.count(),
          rank.attention.whole().shape.value_dim),
      log_sum_exp(rank.device, "part of log_sum_exp", dtype("f32"), query_rows(blocks), queries.heads.query.count(),
                  1) {
  const LocalKeys local{keys, held.key, held.value};
  rank.attention.forward(blocks, queries, local, out, log_sum_exp);
}

void take_in(Rank& rank, RunningAnswer& answer, const LocalQueries& queries, const HeldRows& keys,
             const KeyPair& held) {
  answer.take_in(rank.attention.blocks(queries, keys), queries, {keys, held.key, held.value});
}

KeyPair share_of_gradients(Rank& rank, const LocalQueries& queries, const HeldRows& keys, const KeyPair& held,
                           const LocalAnswers& answers, Buffer& dquery) {
  KeyPair share(rank, "share of dKV", dtype("f32"), keys.count(), queries.heads);
  share.clear();
  const LocalKeys local{keys, held.key, held.value};
  const LocalGradients gradients{dquery, share.key, share.value, rank.shared.dbias};
  rank.attention.add_backward(rank.attention.blocks(queries, keys), queries, local, answers, gradients);
  return share;
}

RankGradients stored(Rank& rank, Buffer dquery, Buffer dkey, Buffer dvalue) {
  const DType& format = rank.attention.whole().output;
  Buffer dq = rounded(rank, "dquery", dquery, format);
  dquery.release();
  Buffer dk = rounded(rank, "dkey", dkey, format), dv = rounded(rank, "dvalue", dvalue, format);
  return {std::move(dq), std::move(dk), std::move(dv)};
}

StayingQueries::StayingQueries(Rank& rank, const LocalQueries& queries, RankSaved& saved)
    : rank_(rank),
      queries_(queries),
      saved_(saved),
      delta_(delta_of(rank, queries, saved)),
      dquery_(sum_of_dquery(rank, queries, saved)) {}

Buffer StayingQueries::end() {
  delta_.release();
  for (Buffer* done : {&saved_.query, &saved_.out, &saved_.dout, &saved_.log_sum_exp}) done->release();
  return std::move(dquery_);
}

std::vector<View> rows_of(const Buffer& buffer, Interval heads, const HeldRows& rows) {
  std::vector<View> views;
  for (index sequence = 0; sequence < rows.sequences(); ++sequence)
    views.push_back(buffer.part(heads.first, heads.count(), rows.begin(sequence), rows.count(sequence)));
  return views;
}

}  // namespace attestone
