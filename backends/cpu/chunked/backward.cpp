// SPDX-License-Identifier: Apache-2.0
// The gradients of the chunked kernel: once for each chunk of keys, once for each chunk of queries, scores anew.
#include "backends/cpu/chunked/chunked.hpp"
#include "backends/cpu/parts/gradient_block.hpp"
#include "backends/cpu/parts/sink_gradient.hpp"
#include "backends/cpu/parts/stored_rows.hpp"

namespace attestone {
namespace {

/// The part of a chunk that is no padding.
Interval real_part(Interval chunk, index length) { return {chunk.first, std::min(chunk.last, length - 1)}; }

class BackwardChunks {
 public:
  BackwardChunks(const Problem& problem, const BackwardArguments& arguments, Device& device, index query_chunk,
                 index key_chunk)
      : problem_(problem),
        arguments_(arguments),
        query_chunk_(query_chunk),
        key_chunk_(key_chunk),
        group_(problem.shape.heads / problem.shape.kv_heads),
        block_(problem, arguments, device, {problem, query_chunk, key_chunk}),
        dbias_(device, problem) {}

  void run() {
    for (index batch = 0; batch < problem_.shape.batch; ++batch) {
      const Sequence stored = stored_rows(problem_, batch);
      for (index kv_head = 0; kv_head < problem_.shape.kv_heads; ++kv_head)
        for (const Interval keys : equal_stretches(stored.keys, key_chunk_)) dkey_dvalue(batch, kv_head, keys);
      for (index head = 0; head < problem_.shape.heads; ++head)
        for (const Interval queries : equal_stretches(stored.queries, query_chunk_)) dquery({batch, head, queries});
    }
    dbias_.store(arguments_.dbias);
  }

 private:
  /// dK and dV of one chunk of keys; each pair of the problem passes here once, for the gradient of the bias too.
  void dkey_dvalue(index batch, index kv_head, Interval keys) {
    const Sequence sequence = problem_.sequence(batch);
    const Interval real_keys = real_part(keys, sequence.keys);
    block_.start_dkey_dvalue(keys.count());
    block_.take_keys(batch, kv_head, real_keys);
    for (index head = kv_head * group_; head < (kv_head + 1) * group_; ++head) {
      const ScoreRow scores(problem_, arguments_, batch, head, ScoreRow::Base::two);
      const VisibleTiles visible(problem_, arguments_, batch, head);
      for (const Interval queries : equal_stretches(sequence.queries, query_chunk_)) {
        if (!visible.any(queries, real_keys)) continue;
        block_.take_queries({batch, head, queries});
        block_.differentiate(scores, visible, &dbias_);
        block_.add_to_dkey_dvalue();
      }
    }
    block_.store_dkey_dvalue(batch, kv_head, keys);
  }

  void dquery(const QueryBlock& chunk) {
    const auto& [batch, head, queries] = chunk;
    const Sequence sequence = problem_.sequence(batch);
    const Interval real_queries = real_part(queries, sequence.queries);
    const ScoreRow scores(problem_, arguments_, batch, head, ScoreRow::Base::two);
    const VisibleTiles visible(problem_, arguments_, batch, head);
    block_.start_dquery(queries.count());
    block_.take_queries({batch, head, real_queries});
    for (const Interval keys : equal_stretches(sequence.keys, key_chunk_)) {
      if (!visible.any(real_queries, keys)) continue;
      block_.take_keys(batch, head / group_, keys);
      block_.differentiate(scores, visible, nullptr);
      block_.add_to_dquery();
    }
    block_.store_dquery(chunk);
  }

  const Problem& problem_;
  const BackwardArguments& arguments_;
  index query_chunk_, key_chunk_;
  index group_;
  GradientBlock block_;
  BiasGradient dbias_;
};

}  // namespace

index Chunked::backward_bytes(const Problem& problem) const {
  const BlockExtents chunk(problem, query_chunk_, key_chunk_);
  return std::max(GradientBlock::bytes(chunk) + BiasGradient::bytes(problem), sink_gradient_bytes(problem));
}

void Chunked::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  BackwardChunks(problem, arguments, device, query_chunk_, key_chunk_).run();
  store_sink_gradient(problem, arguments, device);
}

}  // namespace attestone
