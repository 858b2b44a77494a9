// SPDX-License-Identifier: Apache-2.0
// The row-panel host: what a fault may change, its packed operands, and a score.
#pragma once

#include <string_view>

#include "mutants/hosts/row_panels/bias_sums.hpp"

namespace attestone::inline mutants::row_panels {

class RowPanelRules {
 public:
  /// The arithmetic that the host declares; empty: the default class.
  static constexpr std::string_view numerics{};

  RowPanelRules() = default;
  RowPanelRules(const RowPanelRules&) = delete;
  RowPanelRules& operator=(const RowPanelRules&) = delete;
  virtual ~RowPanelRules() = default;

 protected:
  static constexpr Int kLanes = 8;

  /// One of the packed rows of a kv head.
  struct Row {
    Int head, query;
    Range keys;  ///< by causal masks and windows
    float slope, sink;
    Int position;  ///< of the query among the keys
  };
  struct Score {
    float value, tanh;
    bool visible;
  };
  /// The operands of a kv head: its rows of Q, its panels of K, and V.
  struct Operands {
    Floats query, panels, value;
  };

  virtual Int block_rows() const { return 16; }
  virtual Int strip_keys() const { return 2048; }
  virtual Int backward_strip_keys() const { return 256; }
  virtual bool last_strip_first() const { return false; }
  virtual float weight(float score, float maximum) const { return std::exp(score - maximum); }
  virtual Band band_of(const RowCall& call) const { return call.band; }
  /// The head whose slope and sink belong to packed row m of a kv head, in the block that begins with row `first`.
  virtual Int head_of_parameters(const RowCall& call, Int kv_head, Int m, Int /*first*/, Int queries) const {
    return kv_head * call.group + m / queries;
  }
  /// The keys that any row of a block may see.
  virtual Range block_keys(const std::vector<Row>& rows) const {
    Range all = rows.front().keys;
    for (const Row& row : rows) {
      if (row.keys.empty()) continue;
      if (all.empty()) all = row.keys;
      all = {std::min(all.begin, row.keys.begin), std::max(all.end, row.keys.end)};
    }
    return all;
  }
  virtual float add_to_row_sum(const RowCall& /*call*/, float sum, float weight) const { return sum + weight; }
  virtual void pack_keys(const RowCall& call, const Sequence& s, Int kv_head, Floats& panels) const {
    const Int dim = call.a.dim;
    panels.assign(at(round_up(s.keys, kLanes) * dim), 0.0f);
    for (Int j = 0; j < s.keys; ++j) {
      const Int from = call.key.offset(s.place, kv_head, s.first_key + j);
      float* to = panels.data() + lane_of(j, dim);
      for (Int c = 0; c < dim; ++c) to[c * kLanes] = call.key.load(from + c * call.key.stride[3]);
    }
  }
  virtual Tensor dout_of(const RowCall& call) const { return call.dout; }
  virtual bool needs_delta(const RowCall& /*call*/) const { return true; }
  /// How many channels of dO and O make delta.
  virtual Int delta_channels(const RowCall& call) const { return call.a.value_dim; }
  /// Where delta of a sequence begins in the padded buffer of a head.
  virtual Int delta_offset(const RowCall& call, const Sequence& s) const {
    return call.ragged() ? (s.first_query + s.number * block_rows()) / block_rows() * block_rows()
                         : s.number * round_up(call.a.queries, block_rows());
  }
  /// The number by which the backward pass draws the dropout of a key.
  virtual Int dropout_key(Int key, Int /*strip_begin*/) const { return key; }
  virtual float cap_slope(const RowCall& /*call*/, const Score& score) const { return 1 - score.tanh * score.tanh; }
  /// The partial sum of dQ of a block of rows that sees nothing of a strip.
  virtual void skipped_partial(float* partial, Int elements) const { std::fill(partial, partial + elements, 0.0f); }

  /// Where key j of a packed head begins; its channels follow each other at a distance of kLanes.
  static Int lane_of(Int j, Int dim) { return j / kLanes * kLanes * dim + j % kLanes; }

  void pack(const RowCall& call, const Sequence& s, Int kv_head, Operands& to) const {
    const Int dim = call.a.dim, value_dim = call.a.value_dim, rows = call.group * s.queries;
    to.query.resize(at(rows * dim));
    for (Int m = 0; m < rows; ++m)
      call.query.load_row(
          to.query.data() + m * dim,
          call.query.offset(s.place, kv_head * call.group + m / s.queries, s.first_query + m % s.queries), dim);
    pack_keys(call, s, kv_head, to.panels);
    to.value.resize(at(s.keys * value_dim));
    for (Int j = 0; j < s.keys; ++j)
      call.value.load_row(to.value.data() + j * value_dim, call.value.offset(s.place, kv_head, s.first_key + j),
                          value_dim);
  }

  std::vector<Row> rows_of(const RowCall& call, const Sequence& s, Int kv_head, Int first, Int last) const {
    std::vector<Row> rows;
    const Band band = band_of(call);
    for (Int m = first; m < last; ++m) {
      const Int head = kv_head * call.group + m / s.queries, query = m % s.queries;
      const Int parameters = head_of_parameters(call, kv_head, m, first, s.queries);
      const Int position = query + s.keys - s.queries;
      rows.push_back({head, query, band.keys(position, s.keys), call.slopes ? call.slopes.get(parameters) : 0.0f,
                      call.sink_of(parameters), position});
    }
    return rows;
  }

  /// dots[j - keys.begin] = q . k_j, panel after panel.
  static void products(const float* query, const float* panels, Int dim, Range keys, float* dots) {
    for (Int panel = keys.begin / kLanes; panel * kLanes < keys.end; ++panel) {
      float sums[kLanes] = {};
      const float* k = panels + panel * kLanes * dim;
      for (Int c = 0; c < dim; ++c)
        for (Int lane = 0; lane < kLanes; ++lane) sums[lane] += query[c] * k[c * kLanes + lane];
      const Int begin = std::max(keys.begin, panel * kLanes), end = std::min(keys.end, panel * kLanes + kLanes);
      for (Int j = begin; j < end; ++j) dots[j - keys.begin] = sums[j - panel * kLanes];
    }
  }

  static Score score_of(const RowCall& call, const Sequence& s, const Row& row, Int j, float dot) {
    if (!call.byte_visible(s, row.head, row.query, j)) return {0, 0, false};
    float score = dot * call.scale(), tanh = 0;
    if (call.softcap() > 0) {
      tanh = std::tanh(score / call.softcap());
      score = call.softcap() * tanh;
    }
    if (call.slopes) score -= row.slope * static_cast<float>(std::abs(row.position - j));
    if (call.bias) {
      const float bias = call.bias_at(s, row.head, row.query, j);
      if (bias == minus_infinity) return {0, 0, false};
      score += bias;
    }
    return {score, tanh, true};
  }
};

}  // namespace attestone::inline mutants::row_panels
