// SPDX-License-Identifier: Apache-2.0
// The chunked kernel as the catalogue sees it, and its forward pass.
#include "backends/cpu/chunked/chunked.hpp"

#include "backends/cpu/parts/dropped_pairs.hpp"
#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/score_block.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<KernelEntry> registered{{
    .name = "chunked",
    .summary = "Rabe and Staats: chunks of queries against chunks of keys by matrix products; and backward, anew",
    .settings = {{"query_chunk_size", "1024", integers_from(1), "queries that stay"},
                 {"key_chunk_size", "4096", integers_from(1), "keys that pass by"}},
    .make = [](const Settings& settings) -> SharedKernel { return std::make_shared<Chunked>(settings); },
}};

/// One chunk of queries at a time, and what it knows of the keys so far.
class ForwardChunk {
 public:
  ForwardChunk(const Problem& problem, const Arguments& arguments, Device& device, const BlockExtents& extents)
      : problem_(problem),
        arguments_(arguments),
        device_(device),
        dropped_(problem),
        block_(device, extents),
        o_(device, extents.queries * extents.value_dim, "output"),
        softmax_(device, extents.queries, "softmax") {}

  /// Computes and stores these queries; those behind the sequence are empty.
  void run(const QueryBlock& chunk, index key_chunk);

 private:
  void take_in(const QueryBlock& real, Interval keys, const ScoreRow&, const VisibleTiles&);
  FloatMatrix O(index rows) { return {o_.data(), rows, problem_.shape.value_dim}; }

  const Problem& problem_;
  const Arguments& arguments_;
  Device& device_;
  DroppedPairs dropped_;
  ScoreBlock block_;
  Allocation<float> o_;
  Allocation<OnlineSoftmax> softmax_;
};

void ForwardChunk::run(const QueryBlock& chunk, index key_chunk) {
  const auto& [batch, head, queries] = chunk;
  const Sequence sequence = problem_.sequence(batch);
  const QueryBlock real{batch, head, {queries.first, std::min(queries.last, sequence.queries - 1)}};
  const ScoreRow scores(problem_, arguments_, batch, head, ScoreRow::Base::two);
  const VisibleTiles visible(problem_, arguments_, batch, head);
  const HeadSink sink(arguments_, head);
  std::ranges::fill(softmax_.span(), sink.start());
  O(queries.count()).setZero();
  block_.take_queries(arguments_, real);
  for (const Interval keys : equal_stretches(sequence.keys, key_chunk)) {
    if (visible.any(real.queries, keys)) take_in(real, keys, scores, visible);
  }
  for (index i = 0; i < queries.count(); ++i) {
    if (softmax_[i].l != 0) O(queries.count()).row(i) /= softmax_[i].l;
    arguments_.log_sum_exp.set(batch, head, queries.first + i, 0, sink.log_sum_exp(softmax_[i]));
  }
  device_.compute({.bytes = queries.count() * row_bytes(arguments_.log_sum_exp)});
  store_rows(device_, arguments_.out, batch, head, queries, O(queries.count()), dropped_.factor());
}

void ForwardChunk::take_in(const QueryBlock& real, Interval keys, const ScoreRow& scores, const VisibleTiles& visible) {
  const auto& [batch, head, queries] = real;
  const index kv_head = head / (problem_.shape.heads / problem_.shape.kv_heads);
  block_.take_keys(arguments_, batch, kv_head, keys);
  block_.multiply();
  FloatMatrix P = block_.S(), O = this->O(P.rows());
  for (index i = 0; i < P.rows(); ++i) {
    block_.finish_row(i, scores, visible);
    float* row = P.data() + i * P.cols();
    O.row(i) *= softmax_[i].raise(maximum(row, P.cols()));
    softmax_[i].weigh(row, P.cols());
    dropped_.clear({batch, head, queries.first + i, keys.first}, row, P.cols());
  }
  device_.compute({.exponentials = P.size()});
  round_weights({P.data(), static_cast<std::size_t>(P.size())}, problem_.input);
  add_visible_product(device_, P, block_.seen(), block_.V(), O,
                      [&] { read_rows(device_, arguments_.value, real.batch, kv_head, keys, block_.V()); });
}

}  // namespace

Chunked::Chunked(const Settings& settings)
    : settings_(settings),
      query_chunk_(settings.integer("query_chunk_size")),
      key_chunk_(settings.integer("key_chunk_size")) {}

std::string Chunked::name() const { return kernel_text(*Registry<KernelEntry>::find("chunked"), settings_); }

Support Chunked::supports(const Problem& problem) const { return common_limits(problem); }

bool Chunked::wants_mask_bytes(const Problem& problem) const { return VisibleTiles::need_bytes(problem); }

Numerics Chunked::numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem, exp2_relative_error);
  numerics.tile_queries = query_chunk_;
  numerics.weight.tile_keys = key_chunk_;
  return numerics;
}

index Chunked::forward_bytes(const Problem& problem) const {
  const BlockExtents chunk(problem, query_chunk_, key_chunk_);
  return ScoreBlock::bytes(chunk) + chunk.queries * chunk.value_dim * static_cast<index>(sizeof(float)) +
         chunk.queries * static_cast<index>(sizeof(OnlineSoftmax));
}

void Chunked::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const Shape& shape = problem.shape;
  ForwardChunk chunk(problem, arguments, device, {problem, query_chunk_, key_chunk_});
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head)
      for (const Interval queries : equal_stretches(stored_rows(problem, batch).queries, query_chunk_))
        chunk.run({batch, head, queries}, key_chunk_);
}

}  // namespace attestone
