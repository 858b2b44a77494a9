// SPDX-License-Identifier: Apache-2.0
// TokenRing: keys stay, queries go round, and what the keys answer returns to the owner of the queries.
#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/methods/ring_method.hpp"
#include "backends/distributed/rank/buffers.hpp"
#include "backends/distributed/rank/key_value.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

/// Z. Wang et al., "TokenRing" (arXiv 2412.20501): queries travel one way, answers return the other way. The backward
/// pass is ours, for the authors have none.
class TokenRing final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

const Registration<RankProgramEntry> registered{{
    .name = "token_ring",
    .summary = "keys and values stay, queries go round, and what keys answer returns to the owner",
    .settings = RingMethod::answer_settings(),
    .examples = RingMethod::answer_examples(),
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<TokenRing>("token_ring", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

/// At step i the queries of the place i places ahead are here, and what these keys answered to those before them is on
/// its way to their owner.
Task<RankAnswer> TokenRing::forward(Rank& rank, RankInputs held) const {
  const index N = rank.ring.size();
  const HeldHeads heads = rank.held_heads();
  const LocalQueries own{rank.queries.of_ring(rank.ring.place), heads, held.query};
  if (N == 1) co_return local_forward(rank, held, own);

  const RingVariant variant = this->variant(rank);
  const auto answer = running_answer(variant.merge, rank, own, *variant.part);
  const auto own_rows = every_row(own.rows);
  const HeldRows& keys = rank.keys.of_ring(rank.ring.place);
  Buffers visitors;
  visitors.push_back(std::move(held.query));
  Buffers before;
  for (index step = 0; step <= N; ++step) {
    const index coming = rank.queries.of_ring(rank.ring.beside(step + 1)).count();
    Buffers next;
    std::vector<Request> travel, way_home;
    if (step < N - 1) {
      next.push_back(room_like(rank, "visiting query", visitors.front(), coming));
      travel = pass(rank, rank.ring, -1, visitors, next);
    }
    Buffers returned, part;
    if (step > 1) {
      returned = answer->room(own.rows.count());
      way_home = pass(rank, rank.ring, step - 1, before, returned);
    }
    if (step < N) {
      const LocalQueries queries{rank.queries.of_ring(rank.ring.beside(step)), heads, visitors.front()};
      const auto blocks = rank.attention.blocks_of_all(queries, keys, false);
      part = answer->part(blocks, queries, {keys, held.key, held.value});
      Task<> travelled = all_of(std::move(travel));
      co_await travelled;
      visitors = std::move(next);
    }
    if (step == N - 1)
      for (Buffer* done : {&held.key, &held.value}) done->release();
    if (step == 0) answer->merge(own_rows, own, std::exchange(part, {}));
    Task<> home = all_of(std::move(way_home));
    co_await home;
    if (step > 1) answer->merge(own_rows, own, returned);
    before = std::move(part);
  }
  co_return answer->finish();
}

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

// Costs: what a rank sends and holds, in closed form.

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

}  // namespace
}  // namespace attestone::inline backends
