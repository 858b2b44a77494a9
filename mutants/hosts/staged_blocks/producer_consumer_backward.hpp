// SPDX-License-Identifier: Apache-2.0
// The backward pass of the producer-consumer host: it walks over tiles of keys and adds dQ to a sum in f32.
#pragma once

#include "mutants/hosts/staged_blocks/producer_consumer_pipeline.hpp"
#include "mutants/hosts/staged_blocks/producer_consumer_scores.hpp"
#include "mutants/hosts/staged_blocks/sums.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {

template <class P>
class Backward {
 public:
  static void run(const Call& c) {
    CallSums sums(c);
    for (Int b = 0; b < c.a.batch; ++b) Backward(c, c.sequence(b), sums).sequence();
    sums.store();
  }

 private:
  Backward(const Call& c, const Sequence& s, CallSums& sums)
      : c_(c),
        s_(s),
        band_(band_of<P>(c, s)),
        sums_(sums),
        delta_(at(c.a.heads * s.queries)),
        dq_(at(c.a.heads * s.queries * c.a.dim)) {}

  void sequence() {
    preprocess();
    for (Int kv = 0; kv < c_.a.kv_heads; ++kv) {
      for (Int n = 0; n < ceil_div(s_.keys, P::kBlockN); ++n) key_tile(kv, n);
      zero_rows(c_.dkey, kv, s_.first_key + s_.keys, s_.first_key + s_.key_rows, c_.a.dim);
      zero_rows(c_.dvalue, kv, s_.first_key + s_.keys, s_.first_key + s_.key_rows, c_.a.value_dim);
    }
    postprocess();
  }

  void zero_rows(const Tensor& t, Int h, Int begin, Int end, Int width) const {
    for (Int r = begin; t && r < end; ++r)
      for (Int d = 0; d < width; ++d) t.store(t.offset(s_.place, h, r, d), 0.0f);
  }

  void preprocess() {
    for (Int h = 0; h < c_.a.heads; ++h)
      for (Int i = 0; i < s_.queries; ++i) {
        const Int row = s_.first_query + i;
        float sum = 0.0f;
        for (Int d = 0; d < c_.a.value_dim; ++d)
          sum += c_.dout.load(c_.dout.offset(s_.place, h, row, d)) * c_.out.load(c_.out.offset(s_.place, h, row, d));
        delta_[at(h * s_.queries + i)] = sum;
        sums_.add_sink(s_, h, i, sum);
      }
  }

  /// A tile of keys: K and V, and the gradients of its rows.
  struct KeyTile {
    const Stage& stage;
    Int first, keys;
    Floats dk, dv;
  };

  /// dK and dV of one tile, from all heads of the group and all query tiles that see it.
  void key_tile(Int kv, Int n) {
    const Int dim = c_.a.dim, width = c_.a.value_dim, j0 = n * P::kBlockN;
    Pipeline<P> pipeline(c_, s_, kv);
    pipeline.produce(n);
    KeyTile tile{*pipeline.wait(), j0, std::min(P::kBlockN, s_.keys - j0), Floats(at(P::kBlockN * dim)),
                 Floats(at(P::kBlockN * width))};
    const Int first = std::clamp<Int>(j0 - band_.off - band_.right, 0, s_.queries);
    const Int end = std::clamp<Int>(j0 + tile.keys - band_.off + band_.left, 0, s_.queries);
    for (Int h = kv * c_.group; h < (kv + 1) * c_.group; ++h)
      for (Int m0 = first / P::kBlockM * P::kBlockM; m0 < end; m0 += P::kBlockM)
        query_tile(h, m0, std::min(m0 + P::kBlockM, s_.queries), tile);
    for (Int r = 0; r < tile.keys; ++r) {
      for (Int d = 0; c_.dkey && d < dim; ++d)
        c_.dkey.store(c_.dkey.offset(s_.place, kv, s_.first_key + j0 + r, d),
                      static_cast<float>(tile.dk[at(r * dim + d)] * c_.a.scale));
      for (Int d = 0; c_.dvalue && d < width; ++d)
        c_.dvalue.store(c_.dvalue.offset(s_.place, kv, s_.first_key + j0 + r, d), tile.dv[at(r * width + d)]);
    }
  }

  void query_tile(Int h, Int m0, Int m1, KeyTile& tile) {
    const TileRange<P> range(c_, s_, band_, m0, m1);
    const bool masked = !range.free(tile.stage.tile);
    const Floats q = load_queries(c_, s_, h, m0, m1);
    ScoreRow<P> scores;
    Floats dout(at(c_.a.value_dim));
    for (Int i = m0; i < m1; ++i) {
      const float lse = c_.lse_of(s_, h, i);
      if (lse == -kInfinity) continue;
      const float* q_row = &q[at((i - m0) * c_.a.dim)];
      scores.compute(c_, s_, band_, h, h, i, q_row, tile.stage.k.data(), tile.stage.tile, masked);
      for (Int d = 0; d < c_.a.value_dim; ++d)
        dout[at(d)] = c_.dout.load(c_.dout.offset(s_.place, h, s_.first_query + i, d));
      for (Int r = 0; r < tile.keys; ++r)
        if (!scores.hidden[at(r)]) pair(h, i, r, scores, lse, q_row, dout, tile);
    }
  }

  void pair(Int h, Int i, Int r, const ScoreRow<P>& scores, float lse, const float* q, const Floats& dout,
            KeyTile& tile) {
    const Int dim = c_.a.dim, width = c_.a.value_dim;
    const float p = std::exp(scores.score[at(r)] - lse), factor = scores.factor[at(r)];
    if (p == 0) return;
    float dp = 0.0f;
    if (factor != 0) {
      const float w = rounded(p, c_.in) * factor;
      for (Int d = 0; d < width; ++d) {
        tile.dv[at(r * width + d)] += w * dout[at(d)];
        dp += dout[at(d)] * tile.stage.v[at(r * width + d)];
      }
      dp *= factor;
    }
    float ds = p * (dp - delta_[at(h * s_.queries + i)]);
    sums_.add_bias(s_, h, i, tile.first + r, ds);
    if (c_.a.softcap > 0) ds *= P::softcap_derivative(scores.tanh[at(r)], p, lse, static_cast<float>(c_.a.softcap));
    ds = rounded(ds, c_.in);
    float* dq = &dq_[at((h * s_.queries + i) * dim)];
    for (Int d = 0; d < dim; ++d) {
      tile.dk[at(r * dim + d)] += ds * q[d];
      dq[d] += ds * tile.stage.k[at(r * dim + d)];
    }
  }

  void postprocess() const {
    if (!c_.dquery) return;
    for (Int h = 0; h < c_.a.heads; ++h) {
      for (Int i = 0; i < s_.queries; ++i)
        for (Int d = 0; d < c_.a.dim; ++d)
          c_.dquery.store(c_.dquery.offset(s_.place, h, s_.first_query + i, d),
                          static_cast<float>(dq_[at((h * s_.queries + i) * c_.a.dim + d)] * c_.a.scale));
      zero_rows(c_.dquery, h, s_.first_query + s_.queries, s_.first_query + s_.query_rows, c_.a.dim);
    }
  }

  const Call& c_;
  const Sequence s_;
  const Band band_;
  CallSums& sums_;
  Floats delta_, dq_;
};

}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
