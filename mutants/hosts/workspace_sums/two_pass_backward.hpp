// SPDX-License-Identifier: Apache-2.0
// Host 3: two kernels. The first walks over queries for delta, dQ and the bias, the second over keys for dK and dV.
#pragma once
#include "mutants/hosts/workspace_sums/backward_common.hpp"

namespace attestone::inline mutants::workspace_sums {

class TwoPassBackward : public BackwardFeatures {
 public:
  static constexpr index_t kRows = 16, kKeys = 16;

  index_t workspace_bytes(const Call& c) const override {
    return c.query.extent[0] * c.query.extent[2] * c.a.heads * index_t(sizeof(float));
  }

  void run(const Call& c) override {
    rows_ = c.query.extent[0] * c.query.extent[2];
    delta_ = static_cast<float*>(c.a.workspace);
    begin_dbias(c);
    pass_ = 1;
    for (index_t b = 0; b < c.a.batch; ++b) {
      const Sequence s = sequence(c, b);
      for (index_t h = 0; h < c.a.heads; ++h) {
        for (index_t i = 0; i < s.queries; ++i) delta_[row(c, s, h, i)] = delta(c, s, h, i);
        if (b >= launched_sequences(c)) continue;
        for (index_t i = 0; i < s.queries; i += kRows) query_tile(c, s, h, i, std::min(kRows, s.queries - i));
        store_zeros(c.dquery, s.place, h, s.first_query + s.queries, s.first_query + s.query_rows, c.a.dim);
      }
    }
    pass_ = 2;
    for (index_t b = 0; b < launched_sequences(c); ++b) {
      const Sequence s = sequence(c, b);
      for (index_t kv = 0; kv < c.a.kv_heads; ++kv) {
        for (index_t j = 0; j < s.keys; j += kKeys) key_tile(c, s, kv, j, std::min(kKeys, s.keys - j));
        store_zeros(c.dkey, s.place, kv, s.first_key + s.keys, s.first_key + s.key_rows, c.a.dim);
        store_zeros(c.dvalue, s.place, kv, s.first_key + s.keys, s.first_key + s.key_rows, c.a.value_dim);
      }
    }
    store_dbias(c);
    sinks(c);
  }

 protected:
  index_t rows_ = 0;
  float* delta_ = nullptr;
  int pass_ = 1;

  index_t row(const Call& c, const Sequence& s, index_t h, index_t i) const {
    return h * rows_ + s.place * c.query.extent[2] + s.first_query + i;
  }
  /// The kv head whose dK and dV the second kernel adds to when it is at query head h.
  virtual index_t kv_head_of(const Call& c, index_t h) const { return h / c.group; }
  /// True if a tile of queries that no tile of keys reaches is written.
  virtual bool writes_unreached_tiles() const { return true; }
  virtual void store_dvalue(const Call& c, const float* x, index_t b, index_t h, index_t r) const {
    store_row(x, c.dvalue, b, h, r, c.a.value_dim);
  }

  bool reached(const Call& c, const Sequence& s, index_t h, index_t i0, index_t n, index_t j0, index_t m) const {
    for (index_t i = i0; i < i0 + n; ++i)
      for (index_t j = j0; j < j0 + m; ++j)
        if (visible(c, s, h, i, j)) return true;
    return false;
  }

  void query_tile(const Call& c, const Sequence& s, index_t h, index_t i0, index_t n) {
    const index_t d = c.a.dim, dv = c.a.value_dim, kv = h / c.group;
    std::vector<float> q = zeros(n * d), dout = zeros(n * dv), dq = zeros(n * d), k = zeros(kKeys * d),
                       v = zeros(kKeys * dv);
    for (index_t i = 0; i < n; ++i) {
      load_row(&q[size_t(i * d)], c.query, s.place, h, s.first_query + i0 + i, d);
      load_row(&dout[size_t(i * dv)], c.dout, s.place, h, s.first_query + i0 + i, dv);
    }
    index_t trips = 0;
    for (index_t j0 = 0; j0 < s.keys; j0 += kKeys) {
      const index_t m = std::min(kKeys, s.keys - j0);
      if (!reached(c, s, h, i0, n, j0, m)) continue;
      ++trips;
      for (index_t j = 0; j < m; ++j) {
        load_row(&k[size_t(j * d)], c.key, s.place, kv, s.first_key + j0 + j, d);
        load_row(&v[size_t(j * dv)], c.value, s.place, kv, s.first_key + j0 + j, dv);
      }
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < m; ++j) {
          if (!visible(c, s, h, i0 + i, j0 + j)) continue;
          const PairGradient g = pair(c, s, h, i0 + i, j0 + j, &q[size_t(i * d)], &k[size_t(j * d)], &v[size_t(j * dv)],
                                      &dout[size_t(i * dv)], row_lse(c, s, h, i0 + i), delta_[row(c, s, h, i0 + i)]);
          add_scaled(&dq[size_t(i * d)], g.product, &k[size_t(j * d)], d);
          pair_to_dbias(c, s, h, i0 + i, j0 + j, g.score, i == 0);
        }
    }
    if (!c.dquery || (trips == 0 && !writes_unreached_tiles())) return;
    for (index_t i = 0; i < n; ++i) store_row(&dq[size_t(i * d)], c.dquery, s.place, h, s.first_query + i0 + i, d);
  }

  void key_tile(const Call& c, const Sequence& s, index_t kv, index_t j0, index_t m) {
    const index_t d = c.a.dim, dv = c.a.value_dim;
    std::vector<float> q = zeros(d), dout = zeros(dv), k = zeros(m * d), v = zeros(m * dv), dk = zeros(m * d),
                       dval = zeros(m * dv);
    for (index_t h = 0; h < c.a.heads; ++h) {
      if (kv_head_of(c, h) != kv) continue;
      const index_t own = h / c.group;
      for (index_t j = 0; j < m; ++j) {
        load_row(&k[size_t(j * d)], c.key, s.place, own, s.first_key + j0 + j, d);
        load_row(&v[size_t(j * dv)], c.value, s.place, own, s.first_key + j0 + j, dv);
      }
      for (index_t i = 0; i < s.queries; ++i) {
        load_row(q.data(), c.query, s.place, h, s.first_query + i, d);
        load_row(dout.data(), c.dout, s.place, h, s.first_query + i, dv);
        const float lse = row_lse(c, s, h, i), sum = delta_[row(c, s, h, i)];
        for (index_t j = 0; j < m; ++j) {
          if (!visible(c, s, h, i, j0 + j)) continue;
          const PairGradient g =
              pair(c, s, h, i, j0 + j, q.data(), &k[size_t(j * d)], &v[size_t(j * dv)], dout.data(), lse, sum);
          if (g.weight != 0) add_scaled(&dval[size_t(j * dv)], g.weight, dout.data(), dv);
          add_scaled(&dk[size_t(j * d)], g.product, q.data(), d);
        }
      }
    }
    for (index_t j = 0; j < m; ++j) {
      if (c.dkey) store_row(&dk[size_t(j * d)], c.dkey, s.place, kv, s.first_key + j0 + j, d);
      if (c.dvalue) store_dvalue(c, &dval[size_t(j * dv)], s.place, kv, s.first_key + j0 + j);
    }
  }
};

}  // namespace attestone::inline mutants::workspace_sums
