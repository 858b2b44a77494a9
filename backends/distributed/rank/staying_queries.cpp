// SPDX-License-Identifier: Apache-2.0
// Shares of gradients that only add up: log_sum_exp and delta are those of whole rows.
#include "backends/distributed/rank/staying_queries.hpp"

#include "backends/distributed/rank/local_steps.hpp"

namespace attestone::inline backends {
namespace {

/// delta needs O, which need not stay beside what comes after it.
Buffer delta_without_out(Rank& rank, const LocalQueries& queries, RankSaved& saved) {
  Buffer delta = delta_of(rank, queries, saved);
  if (rank.attention.takes_delta()) saved.out.release();
  return delta;
}

}  // namespace

StayingQueries::StayingQueries(Rank& rank, RankSaved& saved)
    : rank_(rank),
      saved_(saved),
      queries_{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query},
      delta_(delta_without_out(rank, queries_, saved)),
      dquery_(rank.device, "sum of dquery", dtype("f32"), queries_.rows.count(), queries_.heads.query.count(),
              rank.attention.whole().shape.dim) {
  dquery_.clear();
}

std::optional<KeyValue> StayingQueries::share(const LocalKeys& keys, const DType& format, bool even_of_nothing) {
  const auto blocks = rank_.attention.blocks(queries_, keys.rows);
  if (blocks.empty() && !even_of_nothing) return std::nullopt;
  KeyValue share(rank_, "share of dKV", format, format, keys.rows.count(), queries_.heads);
  share.clear();
  const LocalAnswers answers{saved_.out, saved_.log_sum_exp, saved_.dout, delta_};
  rank_.attention.add_backward(blocks, queries_, keys, answers, {dquery_, share.key, share.value, rank_.shared.dbias});
  return share;
}

RankGradients StayingQueries::finish(const KeyValue& sums, const DType& key_gradients) {
  delta_.release();
  for (Buffer* done : {&saved_.query, &saved_.out, &saved_.dout, &saved_.log_sum_exp}) done->release();
  Buffer dquery = rounded(rank_, "dquery", dquery_, rank_.attention.whole().output);
  dquery_.release();
  return {std::move(dquery), rounded(rank_, "dkey", sums.key, key_gradients),
          rounded(rank_, "dvalue", sums.value, key_gradients)};
}

}  // namespace attestone::inline backends
