// SPDX-License-Identifier: Apache-2.0
// Host 4: the fallback for odd dims. All scores of a head are materialised, and products are plain loops over matrices.
#pragma once
#include "mutants/hosts/workspace_sums/backward_common.hpp"

namespace attestone::inline mutants::workspace_sums {

class UnfusedForward : public Features {
 public:
  void run(const Call& c) const {
    for (index_t b = 0; b < c.a.batch; ++b) {
      const Sequence s = sequence(c, b);
      for (index_t h = 0; h < c.a.heads; ++h) head(c, s, h);
    }
  }

 protected:
  virtual bool attends(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const {
    return visible(c, s, h, i, j);
  }

  void head(const Call& c, const Sequence& s, index_t h) const {
    const index_t d = c.a.dim, dv = c.a.value_dim, kv = h / c.group, n = s.keys;
    std::vector<float> k = zeros(n * d), v = zeros(n * dv), q = zeros(d), out = zeros(dv), p = zeros(n);
    std::vector<char> shown(static_cast<size_t>(n));
    for (index_t j = 0; j < n; ++j) {
      load_row(&k[size_t(j * d)], c.key, s.place, kv, s.first_key + j, d);
      load_row(&v[size_t(j * dv)], c.value, s.place, kv, s.first_key + j, dv);
    }
    for (index_t i = 0; i < s.query_rows; ++i) {
      std::fill(out.begin(), out.end(), 0.0f);
      float maximum = c.has_sink() ? c.sink_of(h) : -kInfinity, sum = 0;
      bool seen = false;
      if (i < s.queries) load_row(q.data(), c.query, s.place, h, s.first_query + i, d);
      for (index_t j = 0; j < n; ++j) {
        shown[size_t(j)] = i < s.queries && attends(c, s, h, i, j);
        if (!shown[size_t(j)]) continue;
        seen = true;
        p[size_t(j)] = logit(c, s, h, i, j, dot(q.data(), &k[size_t(j * d)], d)).value;
        if (!(p[size_t(j)] <= maximum)) maximum = std::isnan(maximum) ? maximum : p[size_t(j)];
      }
      const float base = maximum == -kInfinity ? 0.0f : maximum;
      for (index_t j = 0; j < n && seen; ++j)
        if (shown[size_t(j)]) sum += p[size_t(j)] = std::exp(p[size_t(j)] - base);
      if (seen && c.has_sink()) sum += std::exp(c.sink_of(h) - base);
      for (index_t j = 0; j < n && seen; ++j)
        if (shown[size_t(j)] && kept(c, s, h, i, j))
          add_scaled(out.data(), p[size_t(j)] / sum * c.keep_factor(), &v[size_t(j * dv)], dv);
      store_row(out.data(), c.out, s.place, h, s.first_query + i, dv);
      const float empty = c.has_sink() ? c.sink_of(h) : -kInfinity;
      c.log_sum_exp.store(c.log_sum_exp.offset(s.place, h, s.first_query + i), seen ? base + std::log(sum) : empty);
    }
  }
};

class UnfusedBackward : public BackwardFeatures {
 public:
  void run(const Call& c) override {
    begin_dbias(c);
    for (index_t b = 0; b < c.a.batch; ++b) {
      const Sequence s = sequence(c, b);
      for (index_t kv = 0; kv < c.a.kv_heads; ++kv) kv_head(c, s, kv);
    }
    store_dbias(c);
    sinks(c);
  }

 protected:
  virtual bool attends(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const {
    return visible(c, s, h, i, j);
  }
  /// dK and dV from dS and P dropped, both [queries, keys]: x of row i goes to key j.
  virtual void scatter(const Call&, const Sequence& s, const std::vector<char>& shown, const std::vector<float>& from,
                       const std::vector<float>& rows, index_t width, std::vector<float>& to) const {
    for (index_t i = 0; i < s.queries; ++i)
      for (index_t j = 0; j < s.keys; ++j)
        if (shown[size_t(i * s.keys + j)])
          add_scaled(&to[size_t(j * width)], from[size_t(i * s.keys + j)], &rows[size_t(i * width)], width);
  }

  void kv_head(const Call& c, const Sequence& s, index_t kv) {
    const index_t d = c.a.dim, dv = c.a.value_dim, n = s.keys;
    std::vector<float> k = zeros(n * d), v = zeros(n * dv), dk = zeros(n * d), dval = zeros(n * dv);
    std::vector<float> q = zeros(s.queries * d), dout = zeros(s.queries * dv), dq = zeros(d);
    for (index_t j = 0; j < n; ++j) {
      load_row(&k[size_t(j * d)], c.key, s.place, kv, s.first_key + j, d);
      load_row(&v[size_t(j * dv)], c.value, s.place, kv, s.first_key + j, dv);
    }
    for (index_t h = kv * c.group; h < (kv + 1) * c.group; ++h) {
      std::vector<float> weight = zeros(s.queries * n), product = zeros(s.queries * n);
      std::vector<char> shown(product.size(), 0), used(product.size(), 0);
      for (index_t i = 0; i < s.queries; ++i) {
        load_row(&q[size_t(i * d)], c.query, s.place, h, s.first_query + i, d);
        load_row(&dout[size_t(i * dv)], c.dout, s.place, h, s.first_query + i, dv);
        const float lse = row_lse(c, s, h, i), sum = delta(c, s, h, i);
        std::fill(dq.begin(), dq.end(), 0.0f);
        for (index_t j = 0; j < n; ++j) {
          if (!attends(c, s, h, i, j)) continue;
          const PairGradient g = pair(c, s, h, i, j, &q[size_t(i * d)], &k[size_t(j * d)], &v[size_t(j * dv)],
                                      &dout[size_t(i * dv)], lse, sum);
          shown[size_t(i * n + j)] = 1;
          used[size_t(i * n + j)] = g.weight != 0;
          weight[size_t(i * n + j)] = g.weight;
          product[size_t(i * n + j)] = g.product;
          add_scaled(dq.data(), g.product, &k[size_t(j * d)], d);
          pair_to_dbias(c, s, h, i, j, g.score, i == 0);
        }
        if (c.dquery) store_row(dq.data(), c.dquery, s.place, h, s.first_query + i, d);
      }
      store_zeros(c.dquery, s.place, h, s.first_query + s.queries, s.first_query + s.query_rows, d);
      scatter(c, s, shown, product, q, d, dk);
      scatter(c, s, used, weight, dout, dv, dval);
    }
    for (index_t j = 0; j < n; ++j) {
      if (c.dkey) store_row(&dk[size_t(j * d)], c.dkey, s.place, kv, s.first_key + j, d);
      if (c.dvalue) store_row(&dval[size_t(j * dv)], c.dvalue, s.place, kv, s.first_key + j, dv);
    }
    store_zeros(c.dkey, s.place, kv, s.first_key + n, s.first_key + s.key_rows, d);
    store_zeros(c.dvalue, s.place, kv, s.first_key + n, s.first_key + s.key_rows, dv);
  }
};

}  // namespace attestone::inline mutants::workspace_sums
