// SPDX-License-Identifier: Apache-2.0
// Gathering some heads, and calling the local attention with them.
#include "backends/distributed/rank/gathered_chunks.hpp"

namespace attestone::inline backends {
namespace {

/// The queries of a chunk's heads, beside all of its keys.
struct AskingChunk {
  AskingChunk(const Rank& rank, const LocalQueries& all, const KeyValue& gathered)
      : heads(rank.held_heads()),
        query(all.query.some_heads(heads.query)),
        queries{all.rows, heads, query},
        keys{rank.keys.all(), gathered.key, gathered.value},
        blocks(rank.attention.blocks_of_all(queries, keys.rows, true)) {}
  AskingChunk(const AskingChunk&) = delete;

  HeldHeads heads;
  Buffer query;
  LocalQueries queries;
  LocalKeys keys;
  std::vector<SequenceBlock> blocks;
};

}  // namespace

void attend(const Rank& rank, const LocalQueries& all, const KeyValue& gathered, RankAnswer& answer) {
  const AskingChunk chunk(rank, all, gathered);
  Buffer out = answer.out.some_heads(chunk.heads.query);
  Buffer log_sum_exp = answer.log_sum_exp.some_heads(chunk.heads.query);
  rank.attention.forward(chunk.blocks, chunk.queries, chunk.keys, out, log_sum_exp);
}

KeyValue share(Rank& rank, const LocalQueries& all, const KeyValue& gathered, const LocalAnswers& answers,
               const DType& format, const Buffer& dquery) {
  const AskingChunk chunk(rank, all, gathered);
  KeyValue sums(rank, "sum of dKV", format, format, chunk.keys.rows.count(), chunk.heads);
  sums.clear();
  const auto some = [&](const Buffer& whole) { return whole.some_heads(chunk.heads.query); };
  const Buffer out = some(answers.out), dout = some(answers.dout), delta = some(answers.delta);
  const Buffer log_sum_exp = some(answers.log_sum_exp);
  Buffer of_queries = some(dquery);
  rank.attention.backward(chunk.blocks, chunk.queries, chunk.keys, {out, log_sum_exp, dout, delta},
                          {of_queries, sums.key, sums.value, rank.shared.dbias});
  return sums;
}

GatheredChunks::Coming::Coming(Rank& rank, const KeyValue& whole)
    : own(whole.key.some_heads(rank.held_heads().kv), whole.value.some_heads(rank.held_heads().kv)),
      all(rank, "gathered KV", whole.key.dtype(), whole.value.dtype(), rank.keys.all().count(), rank.held_heads()),
      first_hop(begin_to_gather(rank, rank.keys, tensors())) {}

GatheredChunks::GatheredChunks(Rank& rank, KeyValue own, index chunks)
    : own_(std::move(own)), ranks_(static_cast<std::size_t>(rank.heads.chunks(chunks)), rank) {
  const auto count = static_cast<index>(ranks_.size());
  for (index i = 0; i < count; ++i) ranks_[static_cast<std::size_t>(i)].heads = rank.heads.chunk(i, count);
  begin();
}

void GatheredChunks::begin() { coming_.emplace(ranks_[begun_++], own_); }

Task<KeyValue> GatheredChunks::next() {
  Rank& rank = ranks_[begun_ - 1];
  Task<> others = go_on_gathering(rank, rank.keys, coming_->tensors(), std::move(coming_->first_hop));
  co_await others;
  KeyValue all = std::move(coming_->all);
  coming_.reset();
  if (begun_ < ranks_.size())
    begin();
  else
    own_.release();
  co_return std::move(all);
}

}  // namespace attestone::inline backends
