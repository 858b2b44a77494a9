// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2, Algorithm 2, lines 10 to 16, on panels of queries.
#include "backends/cpu/attend/gradients.hpp"

#include <numbers>

#include "backends/cpu/attend/seen_products.hpp"
#include "backends/cpu/simd/gradients.hpp"
#include "backends/cpu/simd/products.hpp"
#include "backends/cpu/simd/transpose.hpp"

namespace attestone::inline backends {
namespace {

/// Rows of a head, padded with zeros from `channels` to `width`: where they lie, if they are such floats, or in `copy`
/// [queries][width]; `rows` [queries][channels] holds them on the way.
FloatMatrixRows read_padded(const FloatRows& tensor, const AttendedHead& head, Interval queries, index channels,
                            index width, float* copy, float* rows) {
  if (channels == width) return tensor.read(head.batch, head.head, queries, copy);
  const FloatMatrixRows read = tensor.read(head.batch, head.head, queries, rows);
  std::fill_n(copy, queries.count() * width, 0.0f);
  for (index i = 0; i < queries.count(); ++i) std::copy_n(read[i], channels, copy + i * width);
  return {copy, width};
}

}  // namespace

AttendGradients::AttendGradients(const Problem& problem, const BackwardArguments& arguments)
    : problem_(problem),
      arguments_(arguments),
      dim_(problem.shape.dim),
      value_dim_(problem.shape.value_dim),
      dropped_(problem, arguments.placement),
      query_(arguments.query),
      key_(arguments.key),
      value_(arguments.value),
      out_(arguments.out),
      dout_(arguments.dout),
      log_sum_exp_(arguments.log_sum_exp) {
  if (arguments.delta) delta_.emplace(*arguments.delta);
}

AttendGradients::KeyTile AttendGradients::load_keys(index batch, index kv_head, Interval keys,
                                                    GradientScratch& scratch) const {
  scratch.work.bytes += keys.count() * (row_bytes(arguments_.key) + row_bytes(arguments_.value));
  return {keys, key_.read(batch, kv_head, keys, scratch.K.data()), value_.read(batch, kv_head, keys, scratch.V.data())};
}

void AttendGradients::load_queries(const AttendedHead& head, Interval queries, GradientScratch& scratch) const {
  const index count = queries.count();
  float* rows = scratch.rows.data();
  scratch.Q = read_padded(query_, head, queries, dim_, scratch.dim_width, scratch.Q_copy.data(), rows);
  scratch.dO = read_padded(dout_, head, queries, value_dim_, scratch.value_width, scratch.dO_copy.data(), rows);
  rows_to_panel(scratch.Q, count, dim_, scratch.QT.data());
  rows_to_panel(scratch.dO, count, value_dim_, scratch.dOT.data());
  std::fill_n(scratch.L.data(), panel_queries, 0.0);
  for (index i = 0; i < count; ++i) {
    float log_sum_exp;
    log_sum_exp_.read(head.batch, head.head, queries.first + i, &log_sum_exp);
    scratch.L[i] = double{log_sum_exp} * std::numbers::log2e;
  }
  load_deltas(head, queries, scratch);
  std::fill_n(scratch.dQT.data(), dim_ * panel_queries, 0.0f);
  scratch.work.bytes +=
      count * (row_bytes(arguments_.query) + row_bytes(arguments_.dout) + row_bytes(arguments_.log_sum_exp));
}

void AttendGradients::load_deltas(const AttendedHead& head, Interval queries, GradientScratch& scratch) const {
  const index count = queries.count();
  std::fill_n(scratch.delta.data(), panel_queries, 0.0f);
  if (delta_) {
    for (index i = 0; i < count; ++i) delta_->read(head.batch, head.head, queries.first + i, scratch.delta.data() + i);
  } else {
    const FloatMatrixRows O = out_.read(head.batch, head.head, queries, scratch.rows.data());
    sums_of_products(scratch.dO, O, count, value_dim_, scratch.delta.data());
  }
  scratch.work.bytes += count * row_bytes(arguments_.delta ? *arguments_.delta : arguments_.out);
}

void AttendGradients::start_dkey_dvalue(index keys, GradientScratch& scratch) const {
  std::fill_n(scratch.dK.data(), keys * scratch.dim_width, 0.0f);
  std::fill_n(scratch.dV.data(), keys * scratch.value_width, 0.0f);
}

/// In the letters of the paper, transposed, with the mask of dropout Z, either 0 or 1 / (1 - rate), and the slope f of
/// the cap:
///   S = K Q^T,  dP = V dO^T,  P = e^(S - L),  dB = P (Z dP - delta),  dS = f dB  [keys][queries].
/// Dropped pairs have P = 0 afterwards; kept ones lack the factor 1 / (1 - rate), which dV receives as a whole. P and
/// dS end in the input format.
void AttendGradients::differentiate(const AttendedHead& head, Interval queries, const KeyTile& tile, Interval keys,
                                    BiasGradient* dbias, GradientScratch& scratch) const {
  const index count = keys.count(), offset = keys.first - tile.keys.first;
  float *S = scratch.S.data(), *dP = scratch.dP.data(),
        *slopes = head.scores.capped() ? scratch.slopes.data() : nullptr;
  QuerySet* seen = scratch.seen.data();
  alignas(allocation_alignment) float largest[panel_queries] = {};  // not needed here
  score_keys(tile.K.from(offset), count, dim_, scratch.QT.data(), head.scores.factor(), S, largest);
  score_keys(tile.V.from(offset), count, value_dim_, scratch.dOT.data(), 1, dP, largest);
  head.see(queries, keys, seen, scratch.biases.data());
  head.scores.finish(S, queries, keys, scratch.biases.data(), slopes);

  const Pair first{head.batch, head.head, queries.first, keys.first};
  float *P = S, *dS = dP;  // each takes the other's place
  weights_from_log_sum_exp(P, count, scratch.L.data(), seen);
  dropped_.clear_panel(first, count, dP);
  bias_gradients(P, dS, count, scratch.delta.data(), dropped_.factor(), seen);
  if (dbias) add_to_dbias(head, queries, keys, *dbias, scratch);
  if (slopes) multiply_by_slopes(dS, slopes, count, seen);
  dropped_.clear_panel(first, count, P);
  const auto elements = static_cast<std::size_t>(count * panel_queries);
  round_weights({P, elements}, problem_.input);
  round_gradients({dS, elements}, problem_.input);
  const index pairs = queries.count() * count;
  scratch.work += {.multiply_adds = pairs * (dim_ + value_dim_), .exponentials = pairs};
}

void AttendGradients::add_to_dbias(const AttendedHead& head, Interval queries, Interval keys, BiasGradient& dbias,
                                   GradientScratch& scratch) const {
  if (!head.scores.biased()) return;
  float* rows = scratch.biases.data();
  panel_to_rows(scratch.dP.data(), keys.count(), queries.count(), rows, keys.count());
  for (index query = queries.first; query <= queries.last; ++query, rows += keys.count())
    dbias.add({head.batch, head.head, query, keys.first}, keys.count(), rows);
}

void AttendGradients::add_to_dquery(Interval queries, const KeyTile& tile, Interval keys,
                                    GradientScratch& scratch) const {
  const SeenPairs seen{scratch.seen.data(), first_queries(queries.count())};
  add_seen_keys(seen, tile.K.from(keys.first - tile.keys.first), keys.count(), dim_, scratch.dP.data(), no_change,
                scratch.dQT.data(), scratch.rows.data());
  scratch.work.multiply_adds += queries.count() * keys.count() * dim_;
}

void AttendGradients::add_to_dkey_dvalue(Interval queries, const KeyTile& tile, Interval keys,
                                         GradientScratch& scratch) const {
  const SeenPairs seen{scratch.seen.data(), first_queries(queries.count())};
  const index offset = keys.first - tile.keys.first, count = keys.count();
  const index dim_width = scratch.dim_width, value_width = scratch.value_width;
  add_seen_queries(seen, scratch.S.data(), count, scratch.dO, queries.count(), value_dim_, value_width,
                   scratch.dV.data() + offset * value_width, scratch.rows.data());
  add_seen_queries(seen, scratch.dP.data(), count, scratch.Q, queries.count(), dim_, dim_width,
                   scratch.dK.data() + offset * dim_width, scratch.rows.data());
  scratch.work.multiply_adds += queries.count() * count * (dim_ + value_dim_);
}

}  // namespace attestone::inline backends
