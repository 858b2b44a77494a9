// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2, Algorithm 1. A tile of queries stays; tiles of keys pass by; each row keeps m, l and an unscaled O.
#include "backends/cpu/flash/forward.hpp"

#include "backends/cpu/parts/stored_rows.hpp"

namespace attestone {

FlashForward::FlashForward(const Problem& problem, const Arguments& arguments, const FlashTiles& tiles)
    : problem_(problem),
      arguments_(arguments),
      tiles_(tiles),
      dropped_(problem),
      query_(arguments.query),
      key_(arguments.key),
      value_(arguments.value) {}

void FlashForward::run(const QueryTile& tile, FlashScratch& scratch) const {
  // Padding takes no part: queries behind the real length are stored as empty, keys behind it are never read.
  const Interval queries{tile.first_query, std::min(tile.first_query + tiles_.queries, tile.sequence.queries) - 1};
  const index keys = queries.first <= queries.last ? tile.sequence.keys : 0;
  const HeadSink sink(arguments_, tile.head);
  load_queries(tile, queries, sink, scratch);
  for (index first = 0; first < keys; first += tiles_.keys) {
    const Interval loaded{first, std::min(first + tiles_.keys, keys) - 1};
    if (!tile.visible.any(queries, loaded)) continue;
    load_keys(tile, loaded, scratch);
    for (index from = first; from <= loaded.last; from += tiles_.compute) {
      const index column = (from - first) / tiles_.compute;
      const KeyStep step{{from, std::min(from + tiles_.compute - 1, loaded.last)},
                         scratch.KT.data() + column * tiles_.dim * tiles_.key_width(),
                         scratch.V.data() + (from - first) * tiles_.value_width()};
      for (index query = queries.first; query <= queries.last; ++query)
        if (tile.visible.any({query, query}, step.keys)) attend(tile, query, step, scratch);
    }
  }
  store(tile, sink, scratch);
}

void FlashForward::load_queries(const QueryTile& tile, Interval queries, const HeadSink& sink,
                                FlashScratch& scratch) const {
  for (index query = queries.first; query <= queries.last; ++query)
    query_.read(tile.batch, tile.head, query, scratch.Q.data() + (query - queries.first) * tiles_.dim);
  scratch.work.bytes += queries.count() * row_bytes(arguments_.query);
  std::ranges::fill(scratch.O.span(), 0.0f);
  std::ranges::fill(scratch.softmax.span(), sink.start());
}

void FlashForward::load_keys(const QueryTile& tile, Interval keys, FlashScratch& scratch) const {
  const index kv_head = tile.head / (problem_.shape.heads / problem_.shape.kv_heads);
  const index width = tiles_.key_width();
  std::ranges::fill(scratch.KT.span(), 0.0f);
  std::ranges::fill(scratch.V.span(), 0.0f);
  for (index key = keys.first; key <= keys.last; ++key) {
    const index j = key - keys.first;
    key_.read(tile.batch, kv_head, key, scratch.row.data());
    float* column = scratch.KT.data() + j / tiles_.compute * tiles_.dim * width + j % tiles_.compute;
    for (index c = 0; c < tiles_.dim; ++c) column[c * width] = scratch.row[c];
    value_.read(tile.batch, kv_head, key, scratch.V.data() + j * tiles_.value_width());
  }
  scratch.work.bytes += keys.count() * (row_bytes(arguments_.key) + row_bytes(arguments_.value));
}

/// One query takes in the keys of one step. In the letters of the paper, for this row alone:
///   S = q K^T [keys],  m = max(m, max S),  P = e^(S - m) [keys],  l = e^(m_before - m) l + sum P,
///   O = e^(m_before - m) O + P V [value_dim].
/// Only runs of visible keys are ever looked at, so that whatever hides behind the mask stays there.
void FlashForward::attend(const QueryTile& tile, index query, const KeyStep& step, FlashScratch& scratch) const {
  const index i = query - tile.first_query, first = step.keys.first, width = tiles_.value_width();
  const float* q = scratch.Q.data() + i * tiles_.dim;
  float* S = scratch.S.data();
  float* O = scratch.O.data() + i * width;
  OnlineSoftmax& softmax = scratch.softmax[i];

  std::ranges::fill(scratch.S.span(), 0.0f);
  add_row_times_matrix(q, tiles_.dim, step.KT, S, tiles_.key_width());
  scratch.work.multiply_adds += step.keys.count() * tiles_.dim;
  const float* biases = tile.scores.biases(query, step.keys, scratch.biases.data());
  tile.scores.finish(S, query, step.keys, biases);

  float largest = -std::numeric_limits<float>::infinity();
  tile.visible.for_each_run(query, step.keys, biases, [&](Interval run) {
    largest = std::max(largest, maximum(S + (run.first - first), run.count()));
  });
  const float shrink = softmax.raise(largest);
  if (shrink != 1)
    for (index c = 0; c < width; ++c) O[c] *= shrink;
  tile.visible.for_each_run(query, step.keys, biases, [&](Interval run) {
    float* P = S + (run.first - first);
    const index count = run.count();
    softmax.weigh(P, count);
    dropped_.clear({tile.batch, tile.head, query, run.first}, P, count);
    round_weights({P, static_cast<std::size_t>(count)}, problem_.input);
    add_row_times_matrix(P, count, step.V + (run.first - first) * width, O, width);
    scratch.work += {.multiply_adds = count * tiles_.value_dim, .exponentials = count};
  });
}

/// O / l, and the factor of dropout, rounded once to the output format; a row that saw no key is 0, and its log_sum_exp
/// the sink's, -infinity without one.
void FlashForward::store(const QueryTile& tile, const HeadSink& sink, FlashScratch& scratch) const {
  const index rows = std::min(tiles_.queries, stored_rows(problem_, tile.batch).queries - tile.first_query);
  for (index i = 0; i < rows; ++i) {
    const OnlineSoftmax& softmax = scratch.softmax[i];
    const float* O = scratch.O.data() + i * tiles_.value_width();
    const index query = tile.first_query + i;
    for (index c = 0; c < tiles_.value_dim; ++c) {
      const float o = softmax.l == 0 ? 0.0f : O[c] / softmax.l;
      arguments_.out.set(tile.batch, tile.head, query, c, dropped_.factor() * double{o});
    }
    arguments_.log_sum_exp.set(tile.batch, tile.head, query, 0, sink.log_sum_exp(softmax));
  }
  scratch.work.bytes += std::max(rows, index{0}) * (row_bytes(arguments_.out) + row_bytes(arguments_.log_sum_exp));
}

}  // namespace attestone
