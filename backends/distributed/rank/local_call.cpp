// SPDX-License-Identifier: Apache-2.0
// Putting a part of a problem into words that every kernel knows.
#include "backends/distributed/rank/local_call.hpp"

namespace attestone::inline backends {
namespace {

/// A mask that kernels can only have as bytes, and are handed.
Mask given_as_bytes() { return Mask("dense", {50}); }

VisiblePairs pairs_of(std::span<const SequenceBlock> blocks, Interval heads) {
  const index queries = blocks.front().queries.count(), keys = blocks.front().keys.count(), head = queries * keys;
  const bool by_head = static_cast<index>(blocks.front().bytes.size()) > head;
  const index first = by_head ? heads.first : 0, count = by_head ? heads.count() : 1;
  std::vector<std::uint8_t> all;
  for (const SequenceBlock& block : blocks) {
    const auto begin = block.bytes.begin() + first * head;
    all.insert(all.end(), begin, begin + count * head);
  }
  return {Extents{static_cast<index>(blocks.size()), count, queries, keys}, std::move(all)};
}

std::vector<index> numbers(const std::vector<index>& held, Interval some) {
  const auto first = held.begin() + some.first;
  return {first, first + some.count()};
}

}  // namespace

Problem local_problem(const Problem& whole, std::span<const SequenceBlock> alike, HeldHeads heads,
                      const DType& output) {
  const SequenceBlock& block = alike.front();
  Problem problem = whole;
  problem.shape.batch = static_cast<index>(alike.size());
  problem.shape.heads = heads.query.count();
  problem.shape.kv_heads = heads.kv.count();
  problem.shape.queries = block.queries.count();
  problem.shape.keys = block.keys.count();
  problem.lengths.clear();
  problem.query_lengths.clear();
  problem.pack();
  problem.layout = "bshd";
  problem.given_scale = whole.scale();
  problem.output = output;
  if (block.seen == Seen::all) problem.mask = Mask();
  if (block.seen == Seen::causal) problem.mask = Mask("causal");
  if (block.seen == Seen::some) problem.mask = given_as_bytes();
  if (!block.all_keys) problem.score = problem.score.without("sink");
  if (problem.score.bias_tensor()) {  // every pair of the call has one of its own
    problem.score = problem.score.without("bias");
    problem.score.add({.rule = "bias", .kind = "full"});
  }
  return problem;
}

LocalCall::LocalCall(const Kernel& kernel, const Problem& whole, const KernelInputs& of_whole,
                     std::span<const SequenceBlock> alike, const LocalQueries& queries, const LocalKeys& keys,
                     const DType& output, Device& workspace)
    : problem_(local_problem(whole, alike, queries.heads, output)),
      inputs_{queries.query.all(), keys.key.all(), keys.value.all(), std::nullopt, std::nullopt, nullptr, nullptr},
      workspace_(workspace) {
  const SequenceBlock& first = alike.front();
  const auto look = [&](const Buffer& buffer, const HeldRows& rows, Interval some) {
    return buffer.sequences(problem_.shape.batch, rows.count(first.sequence), rows.begin(first.sequence) + some.first,
                            some.count());
  };
  inputs_.query = look(queries.query, queries.rows, first.queries);
  inputs_.key = look(keys.key, keys.rows, first.keys);
  inputs_.value = look(keys.value, keys.rows, first.keys);
  if (first.seen == Seen::some || (first.seen == Seen::whole && of_whole.mask))
    inputs_.mask = &mask_.emplace(pairs_of(alike, queries.heads.query));
  else if (kernel.wants_mask_bytes(problem_))
    inputs_.mask = &mask_.emplace(problem_);
  place(whole, alike, queries, keys);
  if (of_whole.bias) copy_bias(*of_whole.bias);
  if (of_whole.sink && problem_.score.has_sink()) {
    const ConstView& all = *of_whole.sink;
    inputs_.sink.emplace(all.at(0, queries.heads.query.first, 0, 0), all.dtype(),
                         Extents{1, problem_.shape.heads, 1, 1}, all.strides());
  }
  if (whole.score.bias_formula() || whole.dropout > 0) inputs_.placement = &placement_;
}

void LocalCall::place(const Problem& whole, std::span<const SequenceBlock> alike, const LocalQueries& queries,
                      const LocalKeys& keys) {
  placement_.first_head = queries.heads.query.first;
  placement_.heads = whole.shape.heads;
  for (const SequenceBlock& block : alike)
    placement_.sequences.push_back({block.sequence, whole.sequence(block.sequence),
                                    numbers(queries.rows.of(block.sequence), block.queries),
                                    numbers(keys.rows.of(block.sequence), block.keys)});
}

View LocalCall::packed(const Buffer& pairs) const {
  return pairs.sequences(problem_.shape.batch, problem_.shape.queries, 0, problem_.shape.queries);
}

void LocalCall::copy_bias(ConstView of_whole) {
  const Shape& shape = problem_.shape;
  bias_.emplace(workspace_, "bias", of_whole.dtype(), shape.batch * shape.queries, shape.heads, shape.keys);
  const View copy = packed(*bias_);
  for_each_element(copy, [&](index batch, index head, index query, index key) {
    const Pair at = placement_.whole({batch, head, query, key});
    copy.set_code(batch, head, query, key, of_whole.code(at.batch, at.head, at.query, at.key));
  });
  inputs_.bias = copy;
}

std::optional<View> LocalCall::dbias() {
  if (!bias_ || !problem_.backward) return std::nullopt;
  dbias_.emplace(workspace_, "share of dbias", dtype("f32"), bias_->rows(), bias_->heads(), bias_->channels());
  return packed(*dbias_);
}

void LocalCall::add_dbias(const View& sum) const {
  const auto place = [&](index at, std::size_t axis) { return sum.extents()[axis] == 1 ? 0 : at; };
  const ConstView share = packed(*dbias_);
  for_each_element(share, [&](index batch, index head, index query, index key) {
    const Pair at = placement_.whole({batch, head, query, key});
    const index b = place(at.batch, 0), h = place(at.head, 1), q = place(at.query, 2);
    sum.set(b, h, q, at.key, sum.value(b, h, q, at.key) + share.value(batch, head, query, key));
  });
}

}  // namespace attestone::inline backends
