// SPDX-License-Identifier: Apache-2.0
// From blocks to calls of a kernel: sequences that look alike go into one.
#include "backends/distributed/local_attention.hpp"

#include <algorithm>

#include "backends/distributed/local_call.hpp"

namespace attestone {
namespace {

bool alike(const SequenceBlock& a, const SequenceBlock& b) {
  return a.sequence + 1 == b.sequence && a.queries == b.queries && a.keys == b.keys && a.seen == b.seen;
}

}  // namespace

std::vector<SequenceBlock> LocalAttention::blocks(const LocalQueries& queries, const HeldRows& keys) const {
  return visible_blocks(whole_, inputs_, queries.rows, keys);
}

std::vector<SequenceBlock> LocalAttention::whole_blocks(const LocalQueries& queries, const HeldRows& keys) const {
  return attestone::whole_blocks(whole_, inputs_, queries.rows, keys);
}

std::vector<std::span<const SequenceBlock>> LocalAttention::calls(std::span<const SequenceBlock> blocks,
                                                                  const HeldRows& queries, const HeldRows& keys) const {
  std::vector<std::span<const SequenceBlock>> calls;
  for (std::size_t first = 0, end; first < blocks.size(); first = end) {
    const index q = queries.count(blocks[first].sequence), k = keys.count(blocks[first].sequence);
    for (end = first + 1; end < blocks.size() && alike(blocks[end - 1], blocks[end]); ++end)
      if (queries.count(blocks[end].sequence) != q || keys.count(blocks[end].sequence) != k) break;
    calls.push_back(blocks.subspan(first, end - first));
  }
  return calls;
}

void LocalAttention::forward(std::span<const SequenceBlock> blocks, const LocalQueries& queries, const LocalKeys& keys,
                             Buffer& out, Buffer& log_sum_exp) const {
  index row = 0;
  for (const auto& some : calls(blocks, queries.rows, keys.rows)) {
    LocalCall call(kernel_, whole_, inputs_, some, queries, keys, out.dtype(), workspace_);
    const auto count = static_cast<index>(some.size()), rows = some.front().queries.count();
    const Arguments arguments{call.inputs(), out.sequences(count, rows, row, rows),
                              log_sum_exp.sequences(count, rows, row, rows)};
    kernel_.forward(call.problem(), arguments, workspace_);
    row += count * rows;
  }
}

void LocalAttention::backward(std::span<const SequenceBlock> blocks, const LocalQueries& queries, const LocalKeys& keys,
                              const LocalAnswers& answers, const LocalGradients& gradients) const {
  index row = 0;
  for (const auto& some : calls(blocks, queries.rows, keys.rows)) {
    LocalCall call(kernel_, whole_, inputs_, some, queries, keys, gradients.dquery.dtype(), workspace_);
    const SequenceBlock& first = some.front();
    const auto count = static_cast<index>(some.size()), rows = first.queries.count();
    const auto look = [&](const Buffer& buffer, const HeldRows& held, Interval part) {
      return buffer.sequences(count, held.count(first.sequence), held.begin(first.sequence) + part.first, part.count());
    };
    const auto of_queries = [&](const Buffer& buffer) { return look(buffer, queries.rows, first.queries); };
    const auto of_keys = [&](const Buffer& buffer) { return look(buffer, keys.rows, first.keys); };
    const bool by_delta = takes_delta();
    const BackwardArguments arguments{call.inputs(),
                                      of_queries(by_delta ? answers.dout : answers.out),
                                      of_queries(answers.log_sum_exp),
                                      of_queries(answers.dout),
                                      by_delta ? std::optional<ConstView>(of_queries(answers.delta)) : std::nullopt,
                                      gradients.dquery.sequences(count, rows, row, rows),
                                      of_keys(gradients.dkey),
                                      of_keys(gradients.dvalue),
                                      call.dbias(),
                                      std::nullopt};
    kernel_.backward(call.problem(), arguments, workspace_);
    if (gradients.dbias) call.add_dbias(*gradients.dbias);
    row += count * rows;
  }
}

}  // namespace attestone
