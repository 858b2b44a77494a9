// SPDX-License-Identifier: Apache-2.0
// Host 2: one pass with the tiles of keys outside. dQ is added up in an f32 workspace, dK and dV of query heads that
// share a kv head as well; a last step converts them.
#pragma once
#include "mutants/hosts/workspace_sums/backward_common.hpp"

namespace attestone::inline mutants::workspace_sums {

class FusedBackward : public BackwardFeatures {
 public:
  static constexpr index_t kRows = 32, kKeys = 32;

  index_t workspace_bytes(const Call& c) const override {
    const index_t rows = c.query.extent[0] * c.query.extent[2],
                  keys = c.key.extent[0] * c.key.extent[2] + c.a.batch * kKeys + kKeys;
    index_t floats = rows * c.a.heads * (1 + round_up(c.a.dim, 64));
    if (c.group > 1) floats += keys * c.a.kv_heads * (c.a.dim + c.a.value_dim);
    return floats * index_t(sizeof(float));
  }

  void run(const Call& c) override {
    rows_ = c.query.extent[0] * c.query.extent[2];
    keys_ = c.key.extent[0] * c.key.extent[2] + c.a.batch * kKeys + kKeys;
    delta_ = static_cast<float*>(c.a.workspace);
    dq_ = delta_ + rows_ * c.a.heads;
    const index_t dq_floats = rows_ * c.a.heads * round_up(c.a.dim, 64);
    std::fill(dq_, dq_ + dq_floats, 0.0f);
    if (c.group > 1) group_ = clear_group(c, dq_ + dq_floats, keys_ * c.a.kv_heads * (c.a.dim + c.a.value_dim));
    begin_dbias(c);
    for (index_t b = 0; b < launched_sequences(c); ++b) {
      const Sequence s = sequence(c, b);
      for (index_t h = 0; h < c.a.heads; ++h) {
        for (index_t i = 0; i < s.queries; ++i) delta_[row(c, s, h, i)] = delta(c, s, h, i);
        for (index_t j = 0; j < s.keys; j += kKeys) key_tile(c, s, h, j, std::min(kKeys, s.keys - j));
      }
    }
    convert(c);
    store_dbias(c);
    sinks(c);
  }

 protected:
  static index_t round_up(index_t n, index_t step) { return (n + step - 1) / step * step; }
  index_t rows_ = 0, keys_ = 0;
  float *delta_ = nullptr, *dq_ = nullptr, *group_ = nullptr;

  index_t row(const Call& c, const Sequence& s, index_t h, index_t i) const {
    return h * rows_ + s.place * c.query.extent[2] + s.first_query + i;
  }
  virtual index_t dq_pitch(const Call& c) const { return round_up(c.a.dim, 32); }
  virtual index_t dq_pitch_of_conversion(const Call& c) const { return dq_pitch(c); }
  virtual void add_dq(const Call&, float& sum, float x) const { sum += x; }
  /// Where dK and dV are added up that several query heads share: returns room for them, filled with 0.
  virtual float* clear_group(const Call&, float* workspace, index_t floats) const {
    std::fill(workspace, workspace + floats, 0.0f);
    return workspace;
  }
  /// The first row of a sequence there: sequences begin at whole tiles.
  virtual index_t group_row(const Call& c, const Sequence& s) const {
    return s.place * round_up(c.key.extent[2], kKeys) +
           (s.first_key + s.number * kKeys * (c.ragged() ? 1 : 0)) / kKeys * kKeys;
  }
  virtual index_t group_row_of_conversion(const Call& c, const Sequence& s) const { return group_row(c, s); }
  virtual bool tail_keys_are_masked() const { return true; }
  virtual bool tail_rows_are_masked() const { return true; }
  virtual void store_dvalue(const Call& c, const float* x, index_t b, index_t h, index_t r) const {
    store_row(x, c.dvalue, b, h, r, c.a.value_dim);
  }

  /// The first tile of queries that can see keys from j on.
  index_t first_row(const Call& c, const Sequence& s, index_t j) const {
    if (c.a.mask_form != ATTESTONE_MASK_BAND || c.a.causal == 0) return 0;
    return std::max<index_t>(0, j - s.shift) / kRows * kRows;
  }

  void key_tile(const Call& c, const Sequence& s, index_t h, index_t j0, index_t m) {
    const index_t d = c.a.dim, dv = c.a.value_dim, kv = h / c.group, pitch = dq_pitch(c);
    std::vector<float> k = zeros(kKeys * d), v = zeros(kKeys * dv), dk = zeros(kKeys * d), dval = zeros(kKeys * dv);
    std::vector<float> q = zeros(kRows * d), dout = zeros(kRows * dv), lse(kRows, kInfinity), sum = zeros(kRows),
                       dq = zeros(d);
    for (index_t j = 0; j < m; ++j) {
      load_row(&k[size_t(j * d)], c.key, s.place, kv, s.first_key + j0 + j, d);
      load_row(&v[size_t(j * dv)], c.value, s.place, kv, s.first_key + j0 + j, dv);
    }
    const index_t first = first_row(c, s, j0), tail = tail_keys_are_masked() ? m : kKeys;
    for (index_t i0 = first; i0 < s.queries; i0 += kRows) {
      const index_t n = std::min(kRows, s.queries - i0);
      for (index_t i = 0; i < n; ++i) {
        load_row(&q[size_t(i * d)], c.query, s.place, h, s.first_query + i0 + i, d);
        load_row(&dout[size_t(i * dv)], c.dout, s.place, h, s.first_query + i0 + i, dv);
        lse[size_t(i)] = row_lse(c, s, h, i0 + i);
        sum[size_t(i)] = delta_[row(c, s, h, i0 + i)];
      }
      const index_t last = tail_rows_are_masked() ? n : kRows;
      for (index_t i = 0; i < last; ++i) {
        const bool real = i < n;
        const index_t at = real ? i0 + i : s.queries - 1;  // a row behind the last one sees what that sees
        std::fill(dq.begin(), dq.end(), 0.0f);
        for (index_t j = 0; j < tail; ++j) {
          const bool inside = j < m;
          if (inside && !visible(c, s, h, at, j0 + j)) continue;
          const PairGradient g = pair(c, s, h, at, inside ? j0 + j : s.keys - 1, &q[size_t(i * d)], &k[size_t(j * d)],
                                      &v[size_t(j * dv)], &dout[size_t(i * dv)], lse[size_t(i)], sum[size_t(i)], first);
          if (g.weight != 0) add_scaled(&dval[size_t(j * dv)], g.weight, &dout[size_t(i * dv)], dv);
          add_scaled(&dk[size_t(j * d)], g.product, &q[size_t(i * d)], d);
          if (!real) continue;
          add_scaled(dq.data(), g.product, &k[size_t(j * d)], d);
          if (inside) pair_to_dbias(c, s, h, at, j0 + j, g.score, i == 0);
        }
        if (!real) continue;
        float* to = dq_ + row(c, s, h, at) * pitch;
        for (index_t x = 0; x < d; ++x) add_dq(c, to[x], dq[size_t(x)]);
      }
    }
    for (index_t j = 0; j < m; ++j) {
      if (c.group == 1) {
        if (c.dkey) store_row(&dk[size_t(j * d)], c.dkey, s.place, kv, s.first_key + j0 + j, d);
        if (c.dvalue) store_dvalue(c, &dval[size_t(j * dv)], s.place, kv, s.first_key + j0 + j);
      } else {
        float* to = group_ + (kv * keys_ + group_row(c, s) + j0 + j) * (d + dv);
        add_scaled(to, 1.0f, &dk[size_t(j * d)], d);
        add_scaled(to + d, 1.0f, &dval[size_t(j * dv)], dv);
      }
    }
  }

  void convert(const Call& c) const {
    const index_t d = c.a.dim, pitch = dq_pitch_of_conversion(c);
    for (index_t b = 0; b < c.a.batch; ++b) {
      const Sequence s = sequence(c, b);
      for (index_t h = 0; h < c.a.heads && c.dquery; ++h) {
        for (index_t i = 0; i < s.queries; ++i)
          store_row(dq_ + row(c, s, h, i) * pitch, c.dquery, s.place, h, s.first_query + i, d);
        store_zeros(c.dquery, s.place, h, s.first_query + s.queries, s.first_query + s.query_rows, d);
      }
      for (index_t kv = 0; kv < c.a.kv_heads; ++kv) {
        for (index_t j = 0; j < s.keys && c.group > 1; ++j) {
          const float* from = group_ + (kv * keys_ + group_row_of_conversion(c, s) + j) * (d + c.a.value_dim);
          if (c.dkey) store_row(from, c.dkey, s.place, kv, s.first_key + j, d);
          if (c.dvalue) store_dvalue(c, from + d, s.place, kv, s.first_key + j);
        }
        store_zeros(c.dkey, s.place, kv, s.first_key + s.keys, s.first_key + s.key_rows, d);
        store_zeros(c.dvalue, s.place, kv, s.first_key + s.keys, s.first_key + s.key_rows, c.a.value_dim);
      }
    }
  }
};

}  // namespace attestone::inline mutants::workspace_sums
