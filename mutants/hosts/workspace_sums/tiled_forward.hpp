// SPDX-License-Identifier: Apache-2.0
// Host 1: the forward pass with an online softmax over tiles of 32 keys, and every feature fused into it.
#pragma once
#include "mutants/hosts/workspace_sums/common.hpp"

namespace attestone::inline mutants::workspace_sums {

class TiledForward : public Features {
 public:
  static constexpr index_t kRows = 16, kKeys = 32;

  void run(const Call& c) const {
    for (index_t b = 0; b < c.a.batch; ++b) {
      const Sequence s = sequence(c, b);
      for (index_t h = 0; h < c.a.heads; ++h) {
        for (index_t i = 0; i < s.queries; i += kRows) rows(c, s, h, i, std::min(i + kRows, s.queries));
        for (index_t i = s.queries; i < s.query_rows; ++i) finish_empty(c, s, h, i);
      }
    }
  }

 protected:
  struct Row {
    float maximum, sum;
    bool seen;
  };

  virtual float first_maximum() const { return -kInfinity; }
  /// The score of a hidden pair; NaN means that the pair is left out.
  virtual float hidden_score(const Call&) const { return std::numeric_limits<float>::quiet_NaN(); }
  /// True if the maximum of a row may still rise at the tile of keys that begins at j0.
  virtual bool maximum_may_rise(index_t /*j0*/) const { return true; }
  /// How many times the sink enters the sum of a row.
  virtual float sink_count(const Call&, const Sequence&) const { return 1.0f; }

  void finish_empty(const Call& c, const Sequence& s, index_t h, index_t i) const {
    const std::vector<float> zero = zeros(c.a.value_dim);
    store_row(zero.data(), c.out, s.place, h, s.first_query + i, c.a.value_dim);
    c.log_sum_exp.store(c.log_sum_exp.offset(s.place, h, s.first_query + i), c.has_sink() ? c.sink_of(h) : -kInfinity);
  }

  void rows(const Call& c, const Sequence& s, index_t h, index_t begin, index_t end) const {
    const index_t n = end - begin, d = c.a.dim, dv = c.a.value_dim, kv = h / c.group;
    std::vector<float> q = zeros(n * d), k = zeros(kKeys * d), v = zeros(kKeys * dv), out = zeros(n * dv),
                       score = zeros(kKeys);
    std::vector<char> shown(kKeys);
    std::vector<Row> row(size_t(n), Row{first_maximum(), 0.0f, false});
    for (index_t i = 0; i < n; ++i) load_row(&q[size_t(i * d)], c.query, s.place, h, s.first_query + begin + i, d);

    for (index_t j0 = 0; j0 < s.keys; j0 += kKeys) {
      const index_t m = std::min(kKeys, s.keys - j0);
      for (index_t j = 0; j < m; ++j) {
        load_row(&k[size_t(j * d)], c.key, s.place, kv, s.first_key + j0 + j, d);
        load_row(&v[size_t(j * dv)], c.value, s.place, kv, s.first_key + j0 + j, dv);
      }
      for (index_t i = 0; i < n; ++i) {
        Row& r = row[size_t(i)];
        float maximum = r.maximum;
        for (index_t j = 0; j < m; ++j) {
          shown[size_t(j)] = visible(c, s, h, begin + i, j0 + j);
          if (shown[size_t(j)]) {
            r.seen = true;
            score[size_t(j)] = logit(c, s, h, begin + i, j0 + j, dot(&q[size_t(i * d)], &k[size_t(j * d)], d)).value;
          } else {
            score[size_t(j)] = hidden_score(c);
            if (std::isnan(score[size_t(j)])) continue;
            shown[size_t(j)] = 2;
          }
          if (score[size_t(j)] > maximum) maximum = score[size_t(j)];
        }
        if (r.maximum != -kInfinity && !maximum_may_rise(j0)) maximum = r.maximum;
        const float base = maximum == -kInfinity ? 0.0f : maximum;
        if (maximum > r.maximum) {
          const float shrink = std::exp(r.maximum - base);
          r.sum *= shrink;
          for (index_t x = 0; x < dv; ++x) out[size_t(i * dv + x)] *= shrink;
          r.maximum = maximum;
        }
        for (index_t j = 0; j < m; ++j) {
          if (!shown[size_t(j)]) continue;
          const float p = std::exp(score[size_t(j)] - base);
          if (p == 0 && shown[size_t(j)] == 2) continue;
          r.sum += p;
          if (kept(c, s, h, begin + i, j0 + j)) add_scaled(&out[size_t(i * dv)], p, &v[size_t(j * dv)], dv);
        }
      }
    }
    for (index_t i = 0; i < n; ++i) finish(c, s, h, begin + i, row[size_t(i)], &out[size_t(i * dv)]);
  }

  void finish(const Call& c, const Sequence& s, index_t h, index_t i, Row r, float* out) const {
    if (!r.seen) return finish_empty(c, s, h, i);
    float factor = 1.0f;
    if (c.has_sink()) {
      const float sink = c.sink_of(h), maximum = sink > r.maximum ? sink : r.maximum;
      const float base = maximum == -kInfinity ? 0.0f : maximum;
      factor = std::exp((r.maximum == -kInfinity ? 0.0f : r.maximum) - base);
      r.sum = r.sum * factor + sink_count(c, s) * std::exp(sink - base);
      r.maximum = maximum;
    }
    factor *= r.sum == 0 ? 0.0f : c.keep_factor() / r.sum;
    for (index_t x = 0; x < c.a.value_dim; ++x) out[x] *= factor;
    store_row(out, c.out, s.place, h, s.first_query + i, c.a.value_dim);
    const float base = r.maximum == -kInfinity ? 0.0f : r.maximum;
    c.log_sum_exp.store(c.log_sum_exp.offset(s.place, h, s.first_query + i), base + std::log(r.sum));
  }
};

}  // namespace attestone::inline mutants::workspace_sums
