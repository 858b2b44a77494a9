// SPDX-License-Identifier: Apache-2.0
// From blocks to calls of a kernel: sequences that look alike go into one.
#include "backends/distributed/rank/local_attention.hpp"

#include <algorithm>

#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/rank/local_call.hpp"

namespace attestone::inline backends {
namespace {

bool alike(const SequenceBlock& a, const SequenceBlock& b) {
  return a.sequence + 1 == b.sequence && a.queries == b.queries && a.keys == b.keys && a.seen == b.seen;
}

}  // namespace

std::vector<SequenceBlock> LocalAttention::blocks(const LocalQueries& queries, const HeldRows& keys) const {
  return visible_blocks(whole_, inputs_, queries.rows, keys);
}

std::vector<SequenceBlock> LocalAttention::blocks_of_all(const LocalQueries& queries, const HeldRows& keys,
                                                         bool all_keys) const {
  return blocks_of_all_queries(whole_, inputs_, queries.rows, keys, all_keys);
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

/// answer(call, rows_of): calls the kernel; rows_of(buffer) are those of the call's queries.
template <class Answer>
void LocalAttention::call_forward(std::span<const SequenceBlock> blocks, const LocalQueries& queries,
                                  const LocalKeys& keys, const DType& output, const Answer& answer) const {
  index row = 0;
  for (const auto& some : calls(blocks, queries.rows, keys.rows)) {
    const LocalCall call(kernel_, whole_, inputs_, some, queries, keys, output, workspace_);
    const auto count = static_cast<index>(some.size()), rows = some.front().queries.count();
    answer(call, [&](const Buffer& buffer) { return buffer.sequences(count, rows, row, rows); });
    row += count * rows;
  }
}

void LocalAttention::forward(std::span<const SequenceBlock> blocks, const LocalQueries& queries, const LocalKeys& keys,
                             Buffer& out, Buffer& log_sum_exp) const {
  call_forward(blocks, queries, keys, out.dtype(), [&](const LocalCall& call, const auto& rows_of) {
    kernel_.forward(call.problem(), Arguments{call.inputs(), rows_of(out), rows_of(log_sum_exp)}, workspace_);
  });
}

void LocalAttention::forward_partials(std::span<const SequenceBlock> blocks, const LocalQueries& queries,
                                      const LocalKeys& keys, const LocalPartials& to) const {
  call_forward(blocks, queries, keys, to.out.dtype(), [&](const LocalCall& call, const auto& rows_of) {
    const PartialArguments arguments{call.inputs(), rows_of(to.out), rows_of(to.m), rows_of(to.l), to.m_is_given};
    kernel_.forward_partials(call.problem(), arguments, workspace_);
  });
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

void LocalAttention::add_backward(std::span<const SequenceBlock> blocks, const LocalQueries& queries,
                                  const LocalKeys& keys, const LocalAnswers& answers,
                                  const LocalGradients& gradients) const {
  Buffer& sum = gradients.dquery;
  Buffer share(workspace_, "share of dquery", sum.dtype(), query_rows(blocks), sum.heads(), sum.channels());
  backward(blocks, queries, keys, answers, {share, gradients.dkey, gradients.dvalue, gradients.dbias});
  index row = 0;
  for (const SequenceBlock& block : blocks) {
    const index count = block.queries.count(), first = queries.rows.begin(block.sequence) + block.queries.first;
    add(share.part(0, share.heads(), row, count), sum.part(0, sum.heads(), first, count));
    row += count;
  }
}

}  // namespace attestone::inline backends
