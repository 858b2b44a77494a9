// SPDX-License-Identifier: Apache-2.0
// Gathered keys: every device has all keys for the time of a local call, and sums of their gradients are scattered.
#include "backends/distributed/methods/all_gather.hpp"

#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/rank/gathered_chunks.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "all_gather",
    .summary = "all keys and values are gathered by every device, and their gradients scattered",
    .settings = {RingMethod::placement_setting(),
                 RingMethod::gradients_setting(),
                 {"chunks", "1", integers_from(1),
                  "into how many chunks the kv heads are cut: the next one is gathered while one is attended to"}},
    .examples = {"placement=zigzag", "placement=striped", "gradients=output", "chunks=2",
                 "placement=zigzag:gradients=output:chunks=3"},
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
void round_own_rows(const Rank& rank, const Buffer& all, const Buffer& own) {
  const PlacedRows rows = placed_rows(rank.keys, rank.ring.place, all, own);
  for (std::size_t run = 0; run < rows.own.size(); ++run) round_into(rows.gathered[run], rows.own[run]);
}

}  // namespace

Task<RankAnswer> AllGather::forward(Rank& rank, RankInputs held) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  const Problem& whole = rank.attention.whole();
  const index rows = queries.rows.count(), heads = queries.heads.query.count();
  GatheredChunks chunks(rank, {std::move(held.key), std::move(held.value)}, number("chunks"));
  std::optional<RankAnswer> answer;
  for (const Rank& chunk : chunks.ranks()) {
    Task<KeyValue> gathering = chunks.next();
    const KeyValue gathered = co_await gathering;
    if (!answer)
      answer.emplace(RankAnswer{Buffer(rank.device, "out", whole.output, rows, heads, whole.shape.value_dim),
                                Buffer(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(), rows, heads, 1)});
    attend(chunk, queries, gathered, *answer);
  }
  held.query.release();
  co_return std::move(*answer);
}

Task<RankGradients> AllGather::backward(Rank& rank, RankSaved saved) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
  const RingVariant variant = this->variant(rank);
  if (rank.ring.size() == 1) co_return local_backward(rank, saved, queries, *variant.key_gradients);

  const Problem& whole = rank.attention.whole();
  const auto of_own_rows = [&](const char* name, const Buffer& input) {
    return Buffer(rank.device, name, *variant.key_gradients, input.rows(), input.heads(), input.channels());
  };
  Buffer delta = delta_of(rank, queries, saved);
  if (rank.attention.takes_delta()) saved.out.release();
  GatheredChunks chunks(rank, {std::move(saved.key), std::move(saved.value)}, number("chunks"));
  std::optional<Buffer> dquery;
  std::optional<KeyValue> gradients;
  for (Rank& chunk : chunks.ranks()) {
    Task<KeyValue> gathering = chunks.next();
    KeyValue gathered = co_await gathering;
    if (!dquery)
      dquery.emplace(rank.device, "dquery", whole.output, saved.query.rows(), saved.query.heads(), whole.shape.dim);
    const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
    const KeyValue sums = share(chunk, queries, gathered, answers, *variant.sums, *dquery);
    gathered.release();
    if (chunks.finished())
      for (Buffer* done : {&delta, &saved.query, &saved.out, &saved.dout, &saved.log_sum_exp}) done->release();
    Task<> scattered = scatter(chunk, sums);
    co_await scattered;
    if (!gradients) gradients.emplace(of_own_rows("dkey", chunks.own().key), of_own_rows("dvalue", chunks.own().value));
    const Interval kv = chunk.held_heads().kv;
    round_own_rows(rank, sums.key, gradients->key.some_heads(kv));
    round_own_rows(rank, sums.value, gradients->value.some_heads(kv));
  }
  RankGradients all{*std::move(dquery), std::move(gradients->key), std::move(gradients->value)};
  co_return all;
}

}  // namespace attestone::inline backends
