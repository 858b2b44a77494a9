// SPDX-License-Identifier: Apache-2.0
// Host "two-pass backward": one kernel for dQ, whose tiles of 16 queries walk over all keys, and one for dK and dV,
// whose tiles of 48 keys keep P and dS transposed. delta is the sum of P dP over the row's pairs, found by the first
// kernel, which adds up dbias and dsink as well. One thread, all in f32.
#pragma once
#include "mutants/hosts/pipelines/bias_image.hpp"

namespace attestone::inline mutants::pipelines {

struct TwoPassPolicy : Rules {
  static constexpr Index kRows = 16, kKeys = 48;

  /// True if the second kernel keeps a pair under dropout.
  static bool kept_transposed(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    return kept(p, s, h, i, j);
  }
  static float value_channel(const Problem& p, Index row, Index c) { return p.value.load(row + c * p.value.stride[3]); }
  static Index lse_place(const Problem& p, const Sequence& s, Index h, Index i) {
    return p.log_sum_exp.offset(s.place, h, s.first_query + i);
  }
  /// How the sum of one sequence enters dsink.
  static void add_sink(float& total, float sequence_sum) { total += sequence_sum; }
  /// Where dV of a row begins, in the transposed tile of dV.
  static Index value_extent(const Problem& p) { return p.a.value_dim; }
  static Index dkey_place(const Problem& p, const Sequence& s, Index kv, Index j) {
    return p.dkey.offset(s.place, kv, s.first_key + j);
  }
  static Index head_of(const Problem& p, Index kv, Index g) { return kv * p.group + g; }
};

template <class P>
class TwoPassBackward {
 public:
  static void run(const Problem& p) {
    TwoPassBackward backward(p);
    for (Index b = 0; b < p.a.batch; ++b) {
      const Sequence s = P::sequence(p, b);
      backward.delta.assign(place(p.a.heads * s.queries), 0.0f);
      for (Index h = 0; h < p.a.heads; ++h) {
        float sink_sum = 0.0f;
        for (Index i = 0; i < s.query_rows; ++i) backward.query_row(s, h, i, sink_sum);
        P::add_sink(backward.sink_image[place(h)], sink_sum);
      }
      for (Index kv = 0; kv < p.a.kv_heads; ++kv)
        for (Index j = 0; j < s.key_rows; j += P::kKeys) backward.key_tile(s, kv, j);
    }
    backward.finish();
  }

 private:
  const Problem& p;
  const Index dim, value_dim;
  BiasImage bias_image;
  Buffer delta, sink_image;

  explicit TwoPassBackward(const Problem& problem)
      : p(problem), dim(p.a.dim), value_dim(p.a.value_dim), bias_image(p), sink_image(floats(p.a.heads)) {}

  void get_value(float* to, const Sequence& s, Index kv, Index j) const {
    const Index row = p.value.offset(s.place, kv, s.first_key + j);
    for (Index c = 0; c < value_dim; ++c) to[c] = P::value_channel(p, row, c);
  }

  void query_row(const Sequence& s, Index h, Index i, float& sink_sum) {
    Buffer q = floats(dim), go = floats(value_dim), k = floats(dim), v = floats(value_dim), dq = floats(dim);
    const float lse = i < s.queries ? p.log_sum_exp.load(P::lse_place(p, s, h, i)) : -kInf;
    if (lse != -kInf) {
      const Index kv = h / p.group;
      const float scale = P::scale(p);
      p.query.load_row(q.data(), s.place, h, s.first_query + i, dim);
      p.dout.load_row(go.data(), s.place, h, s.first_query + i, value_dim);
      Buffer weight = floats(s.keys, -1.0f), dp = floats(s.keys), slope = floats(s.keys);  // -1: hidden
      float sum = 0.0f;
      const Range reach = key_reach<P>(p, s, i, i + 1);
      for (Index j = reach.begin; j < reach.end; ++j) {
        if (!visible<P>(p, s, h, i, j)) continue;
        p.key.load_row(k.data(), s.place, kv, s.first_key + j, dim);
        get_value(v.data(), s, kv, j);
        const float x = score<P>(p, s, h, i, j, scale * dot(q.data(), k.data(), dim), &slope[place(j)]);
        weight[place(j)] = std::exp(x - lse);
        if (!(p.a.dropout > 0) || P::kept(p, s, h, i, j))
          dp[place(j)] = p.keep_factor() * dot(go.data(), v.data(), value_dim);
        sum += weight[place(j)] * dp[place(j)];
      }
      delta[place(h * s.queries + i)] = sum;
      for (Index j = reach.begin; j < reach.end; ++j) {
        if (weight[place(j)] == -1.0f) continue;
        p.key.load_row(k.data(), s.place, kv, s.first_key + j, dim);
        const float ds = weight[place(j)] * (dp[place(j)] - sum);
        if (p.dbias) bias_image.at(s, h, i, j) += ds;
        axpy(dq.data(), ds * slope[place(j)] * scale, k.data(), dim);
      }
      if (p.sink && P::sink(p, h) != -kInf) sink_sum -= std::exp(P::sink(p, h) - lse) * sum;
    }
    p.dquery.store_row(dq.data(), s.place, h, s.first_query + i, dim);
  }

  void key_tile(const Sequence& s, Index kv, Index j0) {
    const Index j1 = std::min(j0 + P::kKeys, s.keys), end = std::min(j0 + P::kKeys, s.key_rows);
    const float scale = P::scale(p);
    Buffer k = floats(P::kKeys * dim), v = floats(P::kKeys * value_dim), dk = k, dv = v,
           weights = floats(P::kKeys * P::kRows), ds = weights, q = floats(P::kRows * dim),
           go = floats(P::kRows * value_dim);
    std::vector<char> shown(place(P::kKeys * P::kRows));
    for (Index j = j0; j < j1; ++j) {
      p.key.load_row(&k[place((j - j0) * dim)], s.place, kv, s.first_key + j, dim);
      get_value(&v[place((j - j0) * value_dim)], s, kv, j);
    }
    const Range reach = j1 > j0 ? query_reach<P>(p, s, j0, j1) : Range{0, 0};
    for (Index g = 0; g < p.group; ++g) {
      const Index h = P::head_of(p, kv, g);
      for (Index i0 = reach.begin; i0 < reach.end; i0 += P::kRows) {
        const Index i1 = std::min(i0 + P::kRows, reach.end);
        std::fill(shown.begin(), shown.end(), char(0));
        for (Index i = i0; i < i1; ++i) {
          p.query.load_row(&q[place((i - i0) * dim)], s.place, h, s.first_query + i, dim);
          p.dout.load_row(&go[place((i - i0) * value_dim)], s.place, h, s.first_query + i, value_dim);
          const float lse = p.log_sum_exp.load(P::lse_place(p, s, h, i));
          for (Index j = j0; j < j1 && lse != -kInf; ++j) {
            if (!visible<P>(p, s, h, i, j)) continue;
            const Index at = (j - j0) * P::kRows + i - i0;
            float slope = 1.0f;
            const float qk = scale * dot(&q[place((i - i0) * dim)], &k[place((j - j0) * dim)], dim);
            const float weight = std::exp(score<P>(p, s, h, i, j, qk, &slope) - lse);
            const bool kept = !(p.a.dropout > 0) || P::kept_transposed(p, s, h, i, j);
            const float dp = kept ? p.keep_factor() * dot(&go[place((i - i0) * value_dim)],
                                                          &v[place((j - j0) * value_dim)], value_dim)
                                  : 0.0f;
            shown[place(at)] = kept ? 2 : 1;
            weights[place(at)] = weight * p.keep_factor();
            ds[place(at)] = weight * (dp - delta[place(h * s.queries + i)]) * slope;
          }
        }
        for (Index j = j0; j < j1; ++j)
          for (Index i = i0; i < i1; ++i) {
            const Index at = (j - j0) * P::kRows + i - i0;
            if (shown[place(at)] == 2)
              axpy(&dv[place((j - j0) * value_dim)], weights[place(at)], &go[place((i - i0) * value_dim)],
                   P::value_extent(p));
            if (shown[place(at)])
              axpy(&dk[place((j - j0) * dim)], ds[place(at)] * scale, &q[place((i - i0) * dim)], dim);
          }
      }
    }
    for (Index j = j0; j < end; ++j) {
      const Index to = P::dkey_place(p, s, kv, j);
      for (Index c = 0; c < dim; ++c) p.dkey.store(to + c * p.dkey.stride[3], dk[place((j - j0) * dim + c)]);
      p.dvalue.store_row(&dv[place((j - j0) * value_dim)], s.place, kv, s.first_key + j, value_dim);
    }
  }

  void finish() {
    bias_image.convert([](Index, Index) { return true; });
    if (p.dsink)
      for (Index h = 0; h < p.a.heads; ++h) p.dsink.store(h * p.dsink.stride[0], sink_image[place(h)]);
  }
};

}  // namespace attestone::inline mutants::pipelines
