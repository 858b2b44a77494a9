// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2, Algorithm 1. A tile of queries stays; tiles of keys pass by; each row keeps m, l and an unscaled O.
#include "backends/cpu/flash_forward.hpp"

namespace attestone {

FlashForward::FlashForward(const Problem& problem, const Arguments& arguments, const FlashTiles& tiles)
    : problem_(problem),
      arguments_(arguments),
      tiles_(tiles),
      query_(arguments.query),
      key_(arguments.key),
      value_(arguments.value) {}

void FlashForward::run(const QueryTile& tile, FlashScratch& scratch) const {
  // Rows behind the sequence's own length are padding: they are stored as empty.
  const index rows = std::min(tiles_.queries, tile.sequence.queries - tile.first_query);
  load_queries(tile, rows, scratch);
  if (rows > 0)
    for (index first = 0; first < tile.sequence.keys; first += tiles_.keys) {
      const Interval loaded{first, std::min(first + tiles_.keys, tile.sequence.keys) - 1};
      if (tile.mask.coverage({tile.first_query, tile.first_query + rows - 1}, loaded) == Coverage::none) continue;
      load_keys(tile, loaded, scratch);
      for (index from = loaded.first; from <= loaded.last; from += tiles_.compute)
        step(tile, rows, loaded, {from, std::min(from + tiles_.compute - 1, loaded.last)}, scratch);
    }
  store(tile, scratch);
}

void FlashForward::load_queries(const QueryTile& tile, index rows, FlashScratch& scratch) const {
  for (index i = 0; i < rows; ++i) query_.read(tile.batch, tile.head, tile.first_query + i, scratch.Q + i * tiles_.dim);
  std::fill_n(scratch.O, tiles_.queries * padded_width(tiles_.value_dim), 0.0f);
  std::fill_n(scratch.softmax, tiles_.queries, OnlineSoftmax{});
}

void FlashForward::load_keys(const QueryTile& tile, Interval keys, FlashScratch& scratch) const {
  const index kv_head = tile.head / (problem_.shape.heads / problem_.shape.kv_heads);
  const index width = padded_width(tiles_.compute), value_width = padded_width(tiles_.value_dim);
  std::fill_n(scratch.KT, tiles_.steps() * tiles_.transposed_floats(), 0.0f);
  std::fill_n(scratch.V, tiles_.keys * value_width, 0.0f);
  for (index key = keys.first; key <= keys.last; ++key) {
    const index j = key - keys.first;
    key_.read(tile.batch, kv_head, key, scratch.row);
    float* column = scratch.KT + j / tiles_.compute * tiles_.transposed_floats() + j % tiles_.compute;
    for (index c = 0; c < tiles_.dim; ++c) column[c * width] = scratch.row[c];
    value_.read(tile.batch, kv_head, key, scratch.V + j * value_width);
  }
}

/// One step of the softmax for every row: the keys of one column of KT.
void FlashForward::step(const QueryTile& tile, index rows, Interval loaded, Interval keys,
                        FlashScratch& scratch) const {
  const Interval queries{tile.first_query, tile.first_query + rows - 1};
  if (tile.mask.coverage(queries, keys) == Coverage::none) return;
  const ScoreRow scores(problem_, tile.head, ScoreRow::Base::two);
  for (index i = 0; i < rows; ++i)
    if (tile.mask.coverage({queries.first + i, queries.first + i}, keys) != Coverage::none)
      attend(scores, tile, i, loaded, keys, scratch);
}

/// Row i of the tile takes in the keys of one step. In the letters of the paper, for this row alone:
///   S = q K^T [keys],  m = max(m, max S),  P = e^(S - m),  l = e^(m_before - m) l + sum P,
///   O = e^(m_before - m) O + P V [value_dim].
/// Only runs of visible keys are ever looked at, so that whatever hides behind the mask stays there.
void FlashForward::attend(const ScoreRow& scores, const QueryTile& tile, index i, Interval loaded, Interval keys,
                          FlashScratch& scratch) const {
  const index query = tile.first_query + i, step = (keys.first - loaded.first) / tiles_.compute;
  const index width = padded_width(tiles_.compute), value_width = padded_width(tiles_.value_dim);
  float* S = scratch.S;
  float* O = scratch.O + i * value_width;
  OnlineSoftmax& softmax = scratch.softmax[i];

  std::fill_n(S, width, 0.0f);
  add_row_times_matrix(scratch.Q + i * tiles_.dim, tiles_.dim, scratch.KT + step * tiles_.transposed_floats(), S,
                       width);
  scores.finish(S, keys.last - keys.first + 1, tile.sequence.keys - tile.sequence.queries + query, keys.first);

  float largest = -std::numeric_limits<float>::infinity();
  tile.mask.for_each_run(query, keys, [&](Interval run) {
    largest = std::max(largest, maximum(S + run.first - keys.first, run.last - run.first + 1));
  });
  const float shrink = softmax.raise(largest);
  if (shrink != 1)
    for (index c = 0; c < value_width; ++c) O[c] *= shrink;
  tile.mask.for_each_run(query, keys, [&](Interval run) {
    float* P = S + run.first - keys.first;
    const index count = run.last - run.first + 1;
    softmax.weigh(P, count);
    round_weights({P, static_cast<std::size_t>(count)}, problem_.input);
    add_row_times_matrix(P, count, scratch.V + (run.first - loaded.first) * value_width, O, value_width);
  });
}

/// O / l, rounded once to the output format; a row that saw no key is 0, and its log_sum_exp -infinity.
void FlashForward::store(const QueryTile& tile, FlashScratch& scratch) const {
  const index rows = std::min(tiles_.queries, problem_.shape.queries - tile.first_query);
  for (index i = 0; i < rows; ++i) {
    const OnlineSoftmax& softmax = scratch.softmax[i];
    const float* O = scratch.O + i * padded_width(tiles_.value_dim);
    const index query = tile.first_query + i;
    for (index c = 0; c < tiles_.value_dim; ++c)
      arguments_.out.set(tile.batch, tile.head, query, c, softmax.l == 0 ? 0.0f : O[c] / softmax.l);
    arguments_.log_sum_exp.set(tile.batch, tile.head, query, 0, softmax.log_sum_exp());
  }
}

}  // namespace attestone
