// SPDX-License-Identifier: Apache-2.0
// Gathered keys: every device has all keys for the time of one local call, and sums of their gradients are scattered.
#include "backends/distributed/all_gather.hpp"

#include "backends/distributed/elements.hpp"
#include "backends/distributed/gathered_rows.hpp"
#include "backends/distributed/key_value.hpp"
#include "backends/distributed/local_steps.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "all_gather",
    .summary = "all keys and values are gathered by every device, and their gradients scattered",
    .settings = {RingMethod::placement_setting(), RingMethod::gradients_setting()},
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<AllGather>("all_gather", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

/// A message to the place ahead, and one from the place behind.
void pass_on(Rank& rank, const std::vector<View>& out, const std::vector<View>& in, std::vector<Request>& under_way,
             From from = From::current()) {
  const std::vector<ConstView> going(out.begin(), out.end());
  for (Request& request : permute(rank.communicator, rank.ring, 1, going, in, Messages::together, from))
    under_way.push_back(std::move(request));
}

/// K and V of all places.
Task<> gather(Rank& rank, const KeyValue& own, const KeyValue& all) {
  return gather_rows(rank, rank.keys, {{own.key, all.key}, {own.value, all.value}});
}

/// The sums of the own rows: those of each place go round from the place ahead of it, and each place adds what it has.
Task<> scatter(Rank& rank, const KeyValue& all) {
  for (index hop = 1; hop < rank.ring.size(); ++hop) {
    const index leaves = rank.ring.beside(-hop), comes = rank.ring.beside(-hop - 1);
    const KeyValue coming(rank, "coming dKV", all.key.dtype(), all.value.dtype(), rank.keys.of_ring(comes).count(),
                          rank.held_heads());
    const PlacedRows key = placed_rows(rank.keys, comes, all.key, coming.key);
    const PlacedRows value = placed_rows(rank.keys, comes, all.value, coming.value);
    std::vector<Request> under_way;
    pass_on(rank, gathered_rows(rank.keys, leaves, all.key), key.own, under_way);
    pass_on(rank, gathered_rows(rank.keys, leaves, all.value), value.own, under_way);
    Task<> passed = all_of(std::move(under_way));
    co_await passed;
    for (const PlacedRows* rows : {&key, &value})
      for (std::size_t run = 0; run < rows->own.size(); ++run) add(rows->own[run], rows->gathered[run]);
  }
}

/// The rank's own rows of what is gathered, rounded once.
Buffer own_rows(Rank& rank, const char* name, const Buffer& all, const DType& format) {
  Buffer own(rank.device, name, format, rank.keys.of_ring(rank.ring.place).count(), all.heads(), all.channels());
  const PlacedRows rows = placed_rows(rank.keys, rank.ring.place, all, own);
  for (std::size_t run = 0; run < rows.own.size(); ++run) round_into(rows.gathered[run], rows.own[run]);
  return own;
}

}  // namespace

Task<RankAnswer> AllGather::forward(Rank& rank, RankInputs held) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  const Problem& whole = rank.attention.whole();
  const HeldRows& keys = rank.keys.all();
  KeyValue all(rank, "gathered KV", whole.input, whole.input, keys.count(), queries.heads);
  KeyValue own(std::move(held.key), std::move(held.value));
  Task<> gathered = gather(rank, own, all);
  co_await gathered;
  own.release();
  const index rows = queries.rows.count(), heads = queries.heads.query.count();
  Buffer out(rank.device, "out", whole.output, rows, heads, whole.shape.value_dim);
  Buffer log_sum_exp(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(), rows, heads, 1);
  const auto blocks = rank.attention.blocks_of_all(queries, keys, true);
  rank.attention.forward(blocks, queries, {keys, all.key, all.value}, out, log_sum_exp);
  held.query.release();
  RankAnswer answer{std::move(out), std::move(log_sum_exp)};
  co_return answer;
}

Task<RankGradients> AllGather::backward(Rank& rank, RankSaved saved) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
  const RingVariant variant = this->variant(rank);
  if (rank.ring.size() == 1) co_return local_backward(rank, saved, queries, *variant.key_gradients);

  const Problem& whole = rank.attention.whole();
  const HeldRows& keys = rank.keys.all();
  Buffer delta = delta_of(rank, queries, saved);
  if (rank.attention.takes_delta()) saved.out.release();
  KeyValue all(rank, "gathered KV", whole.input, whole.input, keys.count(), queries.heads);
  KeyValue own(std::move(saved.key), std::move(saved.value));
  Task<> gathered = gather(rank, own, all);
  co_await gathered;
  own.release();

  Buffer dquery(rank.device, "dquery", whole.output, queries.rows.count(), queries.heads.query.count(),
                whole.shape.dim);
  KeyValue sums(rank, "sum of dKV", *variant.sums, *variant.sums, keys.count(), queries.heads);
  sums.clear();
  const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
  rank.attention.backward(rank.attention.blocks_of_all(queries, keys, true), queries, {keys, all.key, all.value},
                          answers, {dquery, sums.key, sums.value, rank.shared.dbias});
  all.release();
  delta.release();
  for (Buffer* done : {&saved.query, &saved.out, &saved.dout, &saved.log_sum_exp}) done->release();
  Task<> scattered = scatter(rank, sums);
  co_await scattered;
  Buffer dkey = own_rows(rank, "dkey", sums.key, *variant.key_gradients);
  RankGradients gradients{std::move(dquery), std::move(dkey),
                          own_rows(rank, "dvalue", sums.value, *variant.key_gradients)};
  co_return gradients;
}

}  // namespace attestone
