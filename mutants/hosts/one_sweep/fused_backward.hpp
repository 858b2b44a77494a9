// SPDX-License-Identifier: Apache-2.0
// Host 4: the backward pass in one sweep, key tiles outside, query tiles inside. Weights come from log_sum_exp, and
// delta = sum dO O is computed first. Everything is summed in f32 and rounded once.
#pragma once
#include "mutants/hosts/one_sweep/call.hpp"

namespace attestone::inline mutants::one_sweep {

constexpr int64_t kBackwardTile = 32;

class FusedBackward : public Backward {
 public:
  void run(const Call& c) override {
    call = &c;
    dout = Tensor(c.a.dout, c.a.query_starts);
    dquery = Tensor(c.a.dquery, c.a.query_starts);
    dkey = Tensor(c.a.dkey, c.a.key_starts);
    dvalue = Tensor(c.a.dvalue, c.a.key_starts);
    dbias = Tensor(c.a.dbias);
    dsink = Tensor(c.a.dsink);
    bias_sum.assign(
        dbias ? static_cast<size_t>(dbias.extent[0] * dbias.extent[1] * dbias.extent[2] * dbias.extent[3]) : 0, 0.0f);
    sink_sum.assign(static_cast<size_t>(c.a.heads), 0.0f);
    const int64_t group = c.a.heads / c.a.kv_heads;
    for (int64_t b = 0; b < c.a.batch; ++b)
      for (int64_t kv_head = 0; kv_head < c.a.kv_heads; ++kv_head) {
        const int64_t rows = c.key_rows_of(b);
        dk.assign(static_cast<size_t>(rows * c.a.dim), 0.0f);
        dv.assign(static_cast<size_t>(rows * c.a.value_dim), 0.0f);
        for (int64_t g = 0; g < group; ++g) head(c.unit(b, kv_head * group + g));
        write(dkey, b, kv_head, rows, c.a.dim, dk);
        write(dvalue, b, kv_head, rows, c.a.value_dim, dv);
      }
    for (int64_t h = 0; dsink && h < c.a.heads; ++h) dsink.set(sink_sum[static_cast<size_t>(h)], h);
    size_t n = 0;
    for (int64_t b = 0; dbias && b < dbias.extent[0]; ++b)
      for (int64_t h = 0; h < dbias.extent[1]; ++h)
        for (int64_t i = 0; i < dbias.extent[2]; ++i)
          for (int64_t j = 0; j < dbias.extent[3]; ++j) dbias.set(bias_sum[n++], b, h, i, j);
  }

 protected:
  const Call* call = nullptr;
  Tensor dout, dquery, dkey, dvalue, dbias, dsink;
  std::vector<float> dq, dk, dv, bias_sum, sink_sum, lse, delta;

  static void write(const Tensor& to, int64_t b, int64_t h, int64_t rows, int64_t width, const std::vector<float>& x) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t d = 0; d < width; ++d) to.set(x[static_cast<size_t>(r * width + d)], b, h, r, d);
  }

  /// sum over channels of dO O.
  virtual float delta_of(const Unit& u, int64_t i) const {
    float sum = 0;
    for (int64_t d = 0; d < call->a.value_dim; ++d) sum += dout.get(u.b, u.h, i, d) * call->out.get(u.b, u.h, i, d);
    return sum;
  }
  /// The log-sum-exp that weights are normalized with.
  virtual float normalizer(const Unit& u, int64_t i) const { return call->log_sum_exp.get(u.b, u.h, i); }
  virtual float sink_gradient(const Unit& u, float log_sum, float row_delta) const {
    return call->sinks ? -std::exp(call->sink(u.h) - log_sum) * row_delta : 0;
  }
  /// dO.v of a pair.
  virtual float dweight(const Unit& u, int64_t i, int64_t j) const {
    float sum = 0;
    for (int64_t d = 0; d < call->a.value_dim; ++d)
      sum += dout.get(u.b, u.h, i, d) * call->value.get(u.b, u.kv_head, j, d);
    return sum;
  }
  /// dO.v of a pair, as it goes into dQ.
  virtual float dweight_for_query(const Unit&, int64_t, int64_t, float dp) const { return dp; }
  /// The derivative of the softcap; `capped` is what it answered, `s` the whole score.
  virtual float softcap_slope(float capped, float /*s*/) const {
    const float t = capped / call->softcap;
    return 1 - t * t;
  }
  /// The queries that can see keys k0 ... k1 - 1.
  virtual KeyRange query_range(const Unit& u, int64_t k0, int64_t k1) const {
    const reading::Band& band = call->whole.band;
    return {std::max<int64_t>(0, k0 - band.right - u.shift), std::min(u.queries, k1 + band.left - u.shift)};
  }
  virtual void head_done(const Unit&) {}

  virtual void head(const Unit& u) {
    dq.assign(static_cast<size_t>(call->rows_of(u.b) * call->a.dim), 0.0f);
    lse.resize(static_cast<size_t>(u.queries));
    delta.resize(lse.size());
    for (int64_t i = 0; i < u.queries; ++i) {
      const auto r = static_cast<size_t>(i);
      lse[r] = normalizer(u, i);
      delta[r] = delta_of(u, i);
      if (lse[r] != -kInfinity) sink_sum[static_cast<size_t>(u.h)] += sink_gradient(u, lse[r], delta[r]);
    }
    for (int64_t k0 = 0; k0 < u.keys; k0 += kBackwardTile) {
      const int64_t k1 = std::min(k0 + kBackwardTile, u.keys);
      const KeyRange range = query_range(u, k0, k1);
      for (int64_t q0 = range.first / kBackwardTile * kBackwardTile; q0 < range.last; q0 += kBackwardTile)
        for (int64_t i = q0; i < std::min(q0 + kBackwardTile, u.queries); ++i)
          for (int64_t j = k0; j < k1; ++j)
            if (call->visible(u, i, j)) pair(u, i, j);
    }
    write(dquery, u.b, u.h, call->rows_of(u.b), call->a.dim, dq);
    head_done(u);
  }

  virtual void pair(const Unit& u, int64_t i, int64_t j) {
    const auto r = static_cast<size_t>(i);
    if (lse[r] == -kInfinity) return;
    const float b = call->bias ? call->bias.get(u.b, u.h, i, j) : 0;
    if (b == -kInfinity) return;
    float s = 0;
    for (int64_t d = 0; d < call->a.dim; ++d)
      s += call->query.get(u.b, u.h, i, d) * call->key.get(u.b, u.kv_head, j, d);
    const float capped = call->softcapped(s * call->scale);
    s = capped + b;
    if (call->slopes) s += call->alibi(call->slopes.get(u.h), i + u.shift, j);
    const float p = std::exp(s - lse[r]);
    const float dp = dweight(u, i, j);
    const float inner = call->softcap > 0 ? softcap_slope(capped, s) : 1;
    const float ds = p * (dp - delta[r]);
    if (dbias) bias_sum[bias_index(u, i, j)] += ds;
    const float ds_key = ds * inner * call->scale;
    const float ds_query = p * (dweight_for_query(u, i, j, dp) - delta[r]) * inner * call->scale;
    for (int64_t d = 0; d < call->a.dim; ++d) {
      dk[static_cast<size_t>(j * call->a.dim + d)] += ds_key * call->query.get(u.b, u.h, i, d);
      dq[static_cast<size_t>(i * call->a.dim + d)] += ds_query * call->key.get(u.b, u.kv_head, j, d);
    }
    for (int64_t d = 0; d < call->a.value_dim; ++d)
      dv[static_cast<size_t>(j * call->a.value_dim + d)] += p * dout.get(u.b, u.h, i, d);
  }

  size_t bias_index(const Unit& u, int64_t i, int64_t j) const {
    const int64_t place[] = {u.b, u.h, i, j};
    int64_t index = 0;
    for (int axis = 0; axis < 4; ++axis)
      index = index * dbias.extent[axis] + std::min(place[axis], dbias.extent[axis] - 1);
    return static_cast<size_t>(index);
  }
};

}  // namespace attestone::inline mutants::one_sweep
