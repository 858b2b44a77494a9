// SPDX-License-Identifier: Apache-2.0
// Gathered keys: every device has all keys for the time of a local call, and sums of their gradients are scattered.
#include "backends/distributed/all_gather.hpp"

#include "backends/distributed/elements.hpp"
#include "backends/distributed/gathered_chunk.hpp"
#include "backends/distributed/local_steps.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<RankProgramEntry> registered{{
    .name = "all_gather",
    .summary = "all keys and values are gathered by every device, and their gradients scattered",
    .settings = {RingMethod::placement_setting(),
                 RingMethod::gradients_setting(),
                 {"chunks", "1", integers_from(1),
                  "into how many chunks the kv heads are cut: the next one is gathered while one is attended to"}},
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

std::vector<Rank> AllGather::chunks(const Rank& rank) const {
  const index count = rank.heads.chunks(number("chunks"));
  std::vector<Rank> chunks(static_cast<std::size_t>(count), rank);
  for (index i = 0; i < count; ++i) chunks[static_cast<std::size_t>(i)].heads = rank.heads.chunk(i, count);
  return chunks;
}

Task<RankAnswer> AllGather::forward(Rank& rank, RankInputs held) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  const Problem& whole = rank.attention.whole();
  const index rows = queries.rows.count(), heads = queries.heads.query.count();
  KeyValue own(std::move(held.key), std::move(held.value));
  std::optional<RankAnswer> answer;
  std::vector<Rank> chunks = this->chunks(rank);
  std::optional<GatheredChunk> next(std::in_place, chunks[0], own);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const bool last = i + 1 == chunks.size();
    Task<KeyValue> gathering = next->all();
    const KeyValue gathered = co_await gathering;
    next.reset();
    if (last) own.release();
    if (i == 0)
      answer.emplace(RankAnswer{Buffer(rank.device, "out", whole.output, rows, heads, whole.shape.value_dim),
                                Buffer(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(), rows, heads, 1)});
    if (!last) next.emplace(chunks[i + 1], own);
    attend(chunks[i], queries, gathered, *answer);
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
  KeyValue own(std::move(saved.key), std::move(saved.value));
  std::optional<Buffer> dquery;
  std::optional<KeyValue> gradients;
  std::vector<Rank> chunks = this->chunks(rank);
  std::optional<GatheredChunk> next(std::in_place, chunks[0], own);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const bool last = i + 1 == chunks.size();
    Task<KeyValue> gathering = next->all();
    KeyValue gathered = co_await gathering;
    next.reset();
    if (last) own.release();
    if (i == 0)
      dquery.emplace(rank.device, "dquery", whole.output, saved.query.rows(), saved.query.heads(), whole.shape.dim);
    if (!last) next.emplace(chunks[i + 1], own);
    const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
    const KeyValue sums = share(chunks[i], queries, gathered, answers, *variant.sums, *dquery);
    gathered.release();
    if (last)
      for (Buffer* done : {&delta, &saved.query, &saved.out, &saved.dout, &saved.log_sum_exp}) done->release();
    Task<> scattered = scatter(chunks[i], sums);
    co_await scattered;
    if (i == 0) gradients.emplace(of_own_rows("dkey", own.key), of_own_rows("dvalue", own.value));
    const Interval kv = chunks[i].held_heads().kv;
    round_own_rows(rank, sums.key, gradients->key.some_heads(kv));
    round_own_rows(rank, sums.value, gradients->value.some_heads(kv));
  }
  RankGradients all{*std::move(dquery), std::move(gradients->key), std::move(gradients->value)};
  co_return all;
}

}  // namespace attestone
