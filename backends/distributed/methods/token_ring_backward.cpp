// SPDX-License-Identifier: Apache-2.0
// Shares of gradients where queries travel: those of dQ return to their owner, those of dK and dV stay.
#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/methods/token_ring.hpp"
#include "backends/distributed/rank/buffers.hpp"
#include "backends/distributed/rank/key_value.hpp"
#include "backends/distributed/rank/local_steps.hpp"

namespace attestone::inline backends {

/// Queries travel with their saved answers, and their shares of dQ return; dK and dV stay.
Task<RankGradients> TokenRing::backward(Rank& rank, RankSaved saved) const {
  const index N = rank.ring.size();
  const HeldHeads heads = rank.held_heads();
  const Problem& whole = rank.attention.whole();
  const LocalQueries own{rank.queries.of_ring(rank.ring.place), heads, saved.query};
  if (N == 1) co_return local_backward(rank, saved, own, whole.output);

  const DType& f32 = dtype("f32");
  const HeldRows& keys = rank.keys.of_ring(rank.ring.place);
  const bool by_delta = rank.attention.takes_delta();
  Buffer delta = delta_of(rank, own, saved);
  (by_delta ? saved.out : delta).release();
  const char* const names[] = {"visiting query", "visiting dout", "visiting log_sum_exp",
                               by_delta ? "visiting delta" : "visiting out"};
  Buffers visitors;
  for (Buffer* known : {&saved.query, &saved.dout, &saved.log_sum_exp, by_delta ? &delta : &saved.out})
    visitors.push_back(std::move(*known));
  const auto shares = [&](const char* name, index rows) {
    Buffers dquery;
    dquery.emplace_back(rank.device, name, f32, rows, heads.query.count(), whole.shape.dim);
    dquery.front().clear();
    return dquery;
  };
  Buffers dquery = shares("sum of dquery", own.rows.count());
  KeyValue sums(rank, "sum of dKV", f32, f32, keys.count(), heads);
  sums.clear();
  Buffers before;
  for (index step = 0; step <= N; ++step) {
    const index coming = rank.queries.of_ring(rank.ring.beside(step + 1)).count();
    Buffers next, returned, share;
    std::vector<Request> travel, way_home;
    if (step < N - 1) {
      for (std::size_t i = 0; i < visitors.size(); ++i) next.push_back(room_like(rank, names[i], visitors[i], coming));
      travel = pass(rank, rank.ring, -1, visitors, next);
    }
    if (step > 1) {
      returned = shares("share of dquery", own.rows.count());
      way_home = pass(rank, rank.ring, step - 1, before, returned);
    }
    if (step < N) {
      const LocalQueries queries{rank.queries.of_ring(rank.ring.beside(step)), heads, visitors[0]};
      share = shares("share of dquery", queries.rows.count());
      KeyValue more(rank, "share of dKV", f32, f32, keys.count(), heads);
      more.clear();
      const LocalAnswers answers{visitors[3], visitors[2], visitors[1], visitors[3]};
      rank.attention.backward(rank.attention.blocks_of_all(queries, keys, false), queries,
                              {keys, saved.key, saved.value}, answers,
                              {share[0], more.key, more.value, rank.shared.dbias});
      sums.add(more);
      more.release();
      Task<> travelled = all_of(std::move(travel));
      co_await travelled;
      visitors = std::move(next);
    }
    if (step == N - 1)
      for (Buffer* done : {&saved.key, &saved.value}) done->release();
    if (step == 0) add(std::exchange(share, {})[0].all(), dquery[0].all());
    Task<> home = all_of(std::move(way_home));
    co_await home;
    if (step > 1) add(returned[0].all(), dquery[0].all());
    before = std::move(share);
  }
  Buffer rounded_dquery = rounded(rank, "dquery", dquery[0], whole.output);
  dquery.clear();
  RankGradients gradients{std::move(rounded_dquery), rounded(rank, "dkey", sums.key, whole.output),
                          rounded(rank, "dvalue", sums.value, whole.output)};
  co_return gradients;
}

}  // namespace attestone::inline backends
