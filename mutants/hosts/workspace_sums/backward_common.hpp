// SPDX-License-Identifier: Apache-2.0
// What the backward hosts share: the row sums delta, the gradients of a pair, of the bias and of the sinks.
#pragma once
#include "mutants/hosts/workspace_sums/common.hpp"

namespace attestone::inline mutants::workspace_sums {

/// The gradients that one pair sends: to V (times dO), to the score (the bias), and to q.k.
struct PairGradient {
  float weight, score, product;
};

class BackwardFeatures : public Features {
 public:
  virtual void run(const Call& c) = 0;
  virtual index_t workspace_bytes(const Call&) const { return 0; }

 protected:
  /// Sequences that the grid of the kernels covers.
  virtual index_t launched_sequences(const Call& c) const { return c.a.batch; }

  /// delta = sum dO.O of one row.
  virtual float delta(const Call& c, const Sequence& s, index_t h, index_t i) const {
    const index_t o = c.out.offset(s.place, h, s.first_query + i), g = c.dout.offset(s.place, h, s.first_query + i);
    float sum = 0;
    for (index_t x = 0; x < c.a.value_dim; ++x)
      sum += c.out.load(o + x * c.out.stride[3]) * c.dout.load(g + x * c.dout.stride[3]);
    return sum;
  }
  /// The log_sum_exp by which the weights of a row are computed again.
  virtual float row_lse(const Call& c, const Sequence& s, index_t h, index_t i) const {
    return c.log_sum_exp.load(c.log_sum_exp.offset(s.place, h, s.first_query + i));
  }
  virtual float score_gradient(float p, float dp, float delta, bool) const { return p * (dp - delta); }
  virtual index_t dropout_row(index_t i, index_t /*first row of the first tile that was visited*/) const { return i; }
  virtual index_t value_channels(const Call& c) const { return c.a.value_dim; }

  PairGradient pair(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, const float* q, const float* k,
                    const float* v, const float* dout, float lse, float row_delta, index_t first_visited = 0) const {
    const Logit z = logit(c, s, h, i, j, dot(q, k, c.a.dim));
    const float p = std::exp(z.value - lse);
    const bool keep = kept(c, s, h, dropout_row(i, first_visited), j);
    const float dp = keep ? dot(dout, v, value_channels(c)) * c.keep_factor() : 0.0f;
    const float ds = score_gradient(p, dp, row_delta, keep);
    return {keep ? p * c.keep_factor() : 0.0f, ds, ds * z.slope * c.scale()};
  }

  // The gradient of the bias, in f32, of the extents that the bias has.
  std::vector<float> dbias_;
  index_t dbias_place(const Call& c, index_t b, index_t h, index_t i, index_t j) const {
    const index_t at[] = {b, h, i, j};
    index_t offset = 0;
    for (int axis = 0; axis < 4; ++axis)
      offset = offset * c.dbias.extent[axis] + (c.dbias.extent[axis] == 1 ? 0 : at[axis]);
    return offset;
  }
  void begin_dbias(const Call& c) {
    dbias_.clear();
    if (!c.dbias) return;
    index_t n = 1;
    for (int axis = 0; axis < 4; ++axis) n *= c.dbias.extent[axis];
    dbias_.assign(size_t(n), 0.0f);
  }
  /// Adds what a pair sends. first_of_tile: nothing of this tile of queries has come to this element before.
  virtual void add_dbias(const Call&, float& sum, float x, bool /*first_of_tile*/) { sum += x; }
  void pair_to_dbias(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float x, bool first_of_tile) {
    if (!dbias_.empty()) add_dbias(c, dbias_[size_t(dbias_place(c, s.number, h, i, j))], x, first_of_tile);
  }
  void store_dbias(const Call& c) const {
    if (!c.dbias) return;
    const int64_t* n = c.dbias.extent;
    size_t from = 0;
    for (index_t b = 0; b < n[0]; ++b)
      for (index_t h = 0; h < n[1]; ++h)
        for (index_t i = 0; i < n[2]; ++i)
          for (index_t j = 0; j < n[3]; ++j) c.dbias.store(c.dbias.offset(b, h, i, j), dbias_[from++]);
  }

  /// The gradient that a row with visible keys sends to the sink of its head.
  virtual float sink_gradient(const Call& c, index_t h, float lse, float row_delta) const {
    return -std::exp(c.sink_of(h) - lse) * row_delta;
  }

  bool sees_any(const Call& c, const Sequence& s, index_t h, index_t i) const {
    for (index_t j = 0; j < s.keys; ++j)
      if (visible(c, s, h, i, j)) return true;
    return false;
  }
  void sinks(const Call& c) const {
    if (!c.dsink) return;
    for (index_t h = 0; h < c.a.heads; ++h) {
      float sum = 0;
      for (index_t b = 0; b < launched_sequences(c); ++b) {
        const Sequence s = sequence(c, b);
        for (index_t i = 0; i < s.queries; ++i)
          if (sees_any(c, s, h, i)) sum += sink_gradient(c, h, row_lse(c, s, h, i), delta(c, s, h, i));
      }
      c.dsink.store(h * c.dsink.stride[0], sum);
    }
  }
  static void store_zeros(const Tensor& t, index_t b, index_t h, index_t from, index_t to, index_t n) {
    if (!t) return;
    const std::vector<float> zero = zeros(n);
    for (index_t r = from; r < to; ++r) store_row(zero.data(), t, b, h, r, n);
  }
};

}  // namespace attestone::inline mutants::workspace_sums
