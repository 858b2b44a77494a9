// SPDX-License-Identifier: Apache-2.0
// Algorithm 2 of FlashAttention-2, lines 10 to 16: P and dS row by row, products over runs of visible pairs.
#include "backends/cpu/flash/gradients.hpp"

#include <algorithm>
#include <numeric>

namespace attestone {
namespace {

/// Calls visit(first, count) for every run of visible pairs.
template <class Visit>
void for_each_seen(const std::uint8_t* seen, index count, Visit visit) {
  for_each_run_of(
      {0, count - 1}, [&](index at) { return seen[at] != 0; }, [&](Interval run) { visit(run.first, run.count()); });
}

}  // namespace

FlashGradients::FlashGradients(const Problem& problem, const BackwardArguments& arguments, const FlashTiles& tiles)
    : problem_(problem),
      tiles_(tiles),
      rows_(problem),
      query_(arguments.query),
      key_(arguments.key),
      value_(arguments.value),
      out_(arguments.out),
      dout_(arguments.dout),
      log_sum_exp_(arguments.log_sum_exp),
      query_bytes_(row_bytes(arguments.query) + row_bytes(arguments.out) + row_bytes(arguments.dout) +
                   row_bytes(arguments.log_sum_exp)),
      key_bytes_(row_bytes(arguments.key) + row_bytes(arguments.value)) {}

void FlashGradients::load_queries(const QueryTile& tile, Interval queries, FlashBackwardScratch& scratch) const {
  for (index query = queries.first; query <= queries.last; ++query) {
    const index i = query - queries.first;
    float* dO = scratch.dO.data() + i * tiles_.value_width();
    const float* O = scratch.row.data();
    query_.read(tile.batch, tile.head, query, scratch.Q.data() + i * tiles_.dim_width());
    dout_.read(tile.batch, tile.head, query, dO);
    out_.read(tile.batch, tile.head, query, scratch.row.data());
    log_sum_exp_.read(tile.batch, tile.head, query, &scratch.log_sum_exp[i]);
    scratch.delta[i] = std::inner_product(dO, dO + tiles_.value_dim, O, 0.0f);
  }
  scratch.work.bytes += queries.count() * query_bytes_;
  std::ranges::fill(scratch.dQ.span(), 0.0f);
}

void FlashGradients::load_keys(const HeadGroup& group, Interval keys, FlashBackwardScratch& scratch) const {
  const index width = tiles_.key_width();
  for (auto* tensor : {&scratch.K, &scratch.KT, &scratch.VT, &scratch.dK, &scratch.dV})
    std::ranges::fill(tensor->span(), 0.0f);
  for (index key = keys.first; key <= keys.last; ++key) {
    const index j = key - keys.first, step = j / tiles_.compute, column = j % tiles_.compute;
    float* k = scratch.K.data() + j * tiles_.dim_width();
    key_.read(group.batch, group.kv_head, key, k);
    for (index c = 0; c < tiles_.dim; ++c) scratch.KT[(step * tiles_.dim + c) * width + column] = k[c];
    value_.read(group.batch, group.kv_head, key, scratch.row.data());
    for (index c = 0; c < tiles_.value_dim; ++c)
      scratch.VT[(step * tiles_.value_dim + c) * width + column] = scratch.row[c];
  }
  scratch.work.bytes += keys.count() * key_bytes_;
}

template <class Visit>
void FlashGradients::for_each_step(const QueryTile& tile, Interval queries, Interval keys, Visit visit) const {
  for (index first = keys.first; first <= keys.last; first += tiles_.compute) {
    const Step step{{first, std::min(first + tiles_.compute - 1, keys.last)}, first - keys.first};
    if (tile.visible.any(queries, step.keys)) visit(step);
  }
}

void FlashGradients::add_to_dquery(const QueryTile& tile, Interval queries, Interval keys,
                                   FlashBackwardScratch& scratch) const {
  for_each_step(tile, queries, keys, [&](const Step& step) {
    for (index i = 0; i < queries.count(); ++i) {
      differentiate(tile, i, step, nullptr, scratch);
      add_row_to_dquery(i, step, scratch);
    }
  });
}

void FlashGradients::add_to_dkey_dvalue(const QueryTile& tile, Interval queries, Interval keys, bool with_dquery,
                                        BiasGradient& dbias, FlashBackwardScratch& scratch) const {
  for_each_step(tile, queries, keys, [&](const Step& step) {
    for (index i = 0; i < queries.count(); ++i) {
      differentiate(tile, i, step, &dbias, scratch);
      if (with_dquery) add_row_to_dquery(i, step, scratch);
      transpose_row(i, step, scratch);
    }
    add_columns(queries.count(), step, scratch);
  });
}

/// Row i of the tile: S = q K^T and dP = dO V^T [keys of the step] become P and dS.
void FlashGradients::differentiate(const QueryTile& tile, index i, const Step& step, BiasGradient* dbias,
                                   FlashBackwardScratch& scratch) const {
  const index query = tile.first_query + i, width = tiles_.key_width(), number = step.offset / tiles_.compute;
  const float* q = scratch.Q.data() + i * tiles_.dim_width();
  const float* dO = scratch.dO.data() + i * tiles_.value_width();
  float *S = scratch.S.data(), *dP = scratch.dP.data();
  std::fill_n(S, width, 0.0f);
  std::fill_n(dP, width, 0.0f);
  add_row_times_matrix(q, tiles_.dim, scratch.KT.data() + number * tiles_.dim * width, S, width);
  add_row_times_matrix(dO, tiles_.value_dim, scratch.VT.data() + number * tiles_.value_dim * width, dP, width);
  scratch.work.multiply_adds += step.keys.count() * (tiles_.dim + tiles_.value_dim);

  const float* biases = tile.scores.biases(query, step.keys, scratch.biases.data());
  tile.scores.finish(S, query, step.keys, biases, scratch.slopes.data());
  tile.visible.mark(query, step.keys, biases, scratch.seen.data());
  scratch.work.exponentials += std::count(scratch.seen.data(), scratch.seen.data() + step.keys.count(), 1);
  rows_.differentiate({{tile.batch, tile.head, query, step.keys.first},
                       step.keys.count(),
                       scratch.log_sum_exp[i],
                       scratch.delta[i],
                       scratch.seen.data(),
                       S,
                       dP,
                       scratch.slopes.data()},
                      dbias);
}

void FlashGradients::add_row_to_dquery(index i, const Step& step, FlashBackwardScratch& scratch) const {
  const index width = tiles_.dim_width();
  const float *dS = scratch.dP.data(), *K = scratch.K.data() + step.offset * width;
  for_each_seen(scratch.seen.data(), step.keys.count(), [&](index first, index count) {
    add_row_times_matrix(dS + first, count, K + first * width, scratch.dQ.data() + i * width, width);
    scratch.work.multiply_adds += count * tiles_.dim;
  });
}

void FlashGradients::transpose_row(index i, const Step& step, FlashBackwardScratch& scratch) const {
  for (index j = 0; j < step.keys.count(); ++j) {
    scratch.PT[j * tiles_.queries + i] = scratch.S[j];
    scratch.dST[j * tiles_.queries + i] = scratch.dP[j];
    scratch.seenT[j * tiles_.queries + i] = scratch.seen[j];
  }
}

/// For every key of the step: dv += p dO, dk += ds Q, with p and ds [rows] its columns of P and dS.
void FlashGradients::add_columns(index rows, const Step& step, FlashBackwardScratch& scratch) const {
  const index dim_width = tiles_.dim_width(), value_width = tiles_.value_width();
  for (index j = 0; j < step.keys.count(); ++j) {
    const float *p = scratch.PT.data() + j * tiles_.queries, *ds = scratch.dST.data() + j * tiles_.queries;
    float* dv = scratch.dV.data() + (step.offset + j) * value_width;
    float* dk = scratch.dK.data() + (step.offset + j) * dim_width;
    for_each_seen(scratch.seenT.data() + j * tiles_.queries, rows, [&](index first, index count) {
      add_row_times_matrix(p + first, count, scratch.dO.data() + first * value_width, dv, value_width);
      add_row_times_matrix(ds + first, count, scratch.Q.data() + first * dim_width, dk, dim_width);
      scratch.work.multiply_adds += count * (tiles_.value_dim + tiles_.dim);
    });
  }
}

}  // namespace attestone
