// SPDX-License-Identifier: Apache-2.0
// Gathering some heads, and calling the local attention with them.
#include "backends/distributed/gathered_chunk.hpp"

namespace attestone {
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

GatheredChunk::GatheredChunk(Rank& rank, const KeyValue& own)
    : rank_(rank),
      own_(own.key.some_heads(rank.held_heads().kv), own.value.some_heads(rank.held_heads().kv)),
      all_(rank, "gathered KV", own.key.dtype(), own.value.dtype(), rank.keys.all().count(), rank.held_heads()),
      first_hop_(begin_to_gather(rank, rank.keys, tensors())) {}

Task<KeyValue> GatheredChunk::all() {
  Task<> others = go_on_gathering(rank_, rank_.keys, tensors(), std::move(first_hop_));
  co_await others;
  own_.release();
  co_return std::move(all_);
}

}  // namespace attestone
