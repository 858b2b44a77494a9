// SPDX-License-Identifier: Apache-2.0
// The backward pass of the block program: three kernels, for delta, for dK and dV, and for dQ and dBias.
#pragma once

#include "mutants/hosts/staged_blocks/block_program_blocks.hpp"
#include "mutants/hosts/staged_blocks/sums.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {

template <class P>
class Backward {
 public:
  static void run(const Call& c) {
    CallSums sums(c);
    for (Int b = 0; b < c.a.batch; ++b) {
      const Sequence s = P::sequence(c, b);
      if (P::dbias_starts_over(c)) sums.bias_starts_over();
      std::vector<Floats> delta(at(c.a.heads));
      for (Int h = 0; h < c.a.heads; ++h) delta[at(h)] = preprocess(Program<P>(c, s, h), sums);
      for (Int kv = 0; (c.dkey || c.dvalue) && kv < c.a.kv_heads; ++kv)
        for (Int n0 = 0; n0 < s.key_rows; n0 += P::kBlockN1) dkdv(c, s, kv, n0, delta);
      for (Int h = 0; (c.dquery || c.dbias) && h < c.a.heads; ++h)
        for (Int m0 = 0; m0 < s.query_rows; m0 += P::kBlockM) dq(Program<P>(c, s, h), m0, delta[at(h)], sums);
    }
    sums.store();
  }

 private:
  static Floats preprocess(const Program<P>& p, CallSums& sums) {
    const Call& c = p.c;
    const Tensor& strides = P::dout_of_preprocess(c);
    Pointer dout = pointer(strides, p.s.place, p.h, p.s.first_query);
    dout.t = &c.dout;
    Floats delta(at(p.s.queries));
    for (Int m0 = 0; m0 < p.s.queries; m0 += P::kBlockM) {
      const Block o =
          load<P>(pointer(c.out, p.s.place, p.h, p.s.first_query), m0, P::kBlockM, p.s.queries, c.a.value_dim);
      const Block go = load<P>(dout, m0, P::kBlockM, p.s.queries, c.a.value_dim);
      for (Int r = 0; r < P::kBlockM && m0 + r < p.s.queries; ++r) {
        float sum = 0.0f;
        for (Int d = 0; d < c.a.value_dim; ++d) sum += o[r][d] * go[r][d];
        delta[at(m0 + r)] = sum;
        sums.add_sink(p.s, p.h, m0 + r, sum);
      }
    }
    return delta;
  }

  /// The rows of Q, dO, log_sum_exp and delta that belong to one query.
  struct Row {
    Int i;
    const float *q, *dout;
    float lse, delta;
  };
  struct Pair {
    bool any = false;  ///< whether the pair is visible and has a weight
    float w = 0.0f;    ///< P behind dropout, in the format of the inputs
    float ds = 0.0f, ds_of_bias = 0.0f;
  };
  static Pair pair(const Program<P>& p, const Row& row, Int j, const float* k, const float* v, bool masked) {
    const Call& c = p.c;
    Pair pair;
    bool hidden = masked && !p.sees(row.i, j);
    if (hidden) return pair;
    float t = 0.0f, dp = 0.0f;
    const float s = p.score(P::scaled_product(c, row.q, k, true), row.i, j, t, hidden);
    if (hidden) return pair;
    const float weight = exponential(s - row.lse);
    if (weight == 0) return pair;
    pair.any = true;
    if (p.keeps(row.i, j)) {
      for (Int d = 0; d < c.a.value_dim; ++d) dp += row.dout[d] * v[d];
      dp *= p.keep_factor();
      pair.w = rounded(weight, c.in) * p.keep_factor();
    }
    pair.ds_of_bias = weight * (dp - row.delta);
    pair.ds = rounded(p.cap > 0 ? pair.ds_of_bias * (1 - t * t) : pair.ds_of_bias, c.in);
    return pair;
  }

  /// True if all of these queries see all of these keys.
  static bool whole(const Program<P>& p, Int m0, Int m1, Int n0, Int n1) {
    return !p.c.masked_by_bytes() && p.lo(m1 - 1) <= n0 && n1 <= p.hi(m0);
  }

  /// Adds the gradients that one query head gives to a block of keys.
  static void dkdv_of_head(const Program<P>& p, Int n0, Int n1, const Block& k, const Block& v, const Floats& delta,
                           Block& dk, Block& dv) {
    const Call& c = p.c;
    const Int first =
        std::clamp<Int>(P::dkdv_first_query(n0, p.off, p.right), 0, p.s.queries) / P::kBlockM1 * P::kBlockM1;
    const Int end = std::clamp<Int>(n1 - p.off + p.left, 0, p.s.queries);
    for (Int m0 = first; m0 < end; m0 += P::kBlockM1) {
      const Int m1 = std::min(m0 + P::kBlockM1, p.s.queries);
      const Block q = p.queries(m0, P::kBlockM1), go = p.gradients(m0, P::kBlockM1);
      const bool masked = !whole(p, m0, m1, n0, n1);
      for (Int i = m0; i < m1; ++i) {
        const Row row{i, q[i - m0], go[i - m0], P::saved_lse(c, p.s, p.h, i), delta[at(i)]};
        if (row.lse == -kInfinity) continue;
        for (Int j = n0; j < n1; ++j) {
          const Pair one = pair(p, row, j, k[j - n0], v[j - n0], masked);
          if (!one.any) continue;
          for (Int d = 0; one.w != 0 && d < c.a.value_dim; ++d) dv[j - n0][d] += one.w * row.dout[d];
          for (Int d = 0; d < c.a.dim; ++d) dk[j - n0][d] += one.ds * row.q[d];
        }
      }
    }
  }

  static void dkdv(const Call& c, const Sequence& s, Int kv, Int n0, const std::vector<Floats>& delta) {
    const Int first = kv * c.group, n1 = std::min(n0 + P::kBlockN1, s.keys);
    Block dk(P::kBlockN1, c.a.dim), dv(P::kBlockN1, c.a.value_dim);
    if (n0 < s.keys) {
      const Program<P> any(c, s, first);
      const Block k = any.keys(n0, P::kBlockN1), v = any.values(n0, P::kBlockN1);
      const auto add_head = [&](Int h, Block& to_dk, Block& to_dv) {
        dkdv_of_head(Program<P>(c, s, h), n0, n1, k, v, delta[at(h)], to_dk, to_dv);
      };
      P::add_heads(c, first, first + c.group, add_head, dk, dv);
    }
    dk.multiply(c.a.scale);
    if (c.dkey) store(P::dkey_pointer(c, s, kv), dk, n0, s.key_rows);
    if (c.dvalue) store(pointer(c.dvalue, s.place, kv, s.first_key), dv, n0, s.key_rows);
  }

  static void dq(const Program<P>& p, Int m0, const Floats& delta, CallSums& sums) {
    const Call& c = p.c;
    Block sum(P::kBlockM, c.a.dim);
    const Int m1 = std::min(m0 + P::kBlockM, p.s.queries);
    if (m0 < p.s.queries) {
      const Block q = p.queries(m0, P::kBlockM), go = p.gradients(m0, P::kBlockM);
      for (Int n0 = p.lo(m0) / P::kBlockN * P::kBlockN; n0 < p.hi(m1 - 1); n0 += P::kBlockN) {
        const Int n1 = std::min(n0 + P::kBlockN, p.s.keys);
        const Block k = p.keys(n0, P::kBlockN), v = p.values(n0, P::kBlockN);
        const bool masked = !whole(p, m0, m1, n0, n1);
        for (Int i = m0; i < m1; ++i) {
          const Row row{i, q[i - m0], go[i - m0], P::saved_lse(c, p.s, p.h, i), delta[at(i)]};
          if (row.lse == -kInfinity) continue;
          for (Int j = n0; j < n1; ++j) {
            const Pair one = pair(p, row, j, k[j - n0], v[j - n0], masked);
            if (!one.any) continue;
            sums.add_bias(p.s, p.h, i, j, one.ds_of_bias);
            for (Int d = 0; d < c.a.dim; ++d) sum[i - m0][d] += one.ds * k[j - n0][d];
          }
        }
      }
    }
    sum.multiply(c.a.scale);
    if (c.dquery) store(pointer(c.dquery, p.s.place, p.h, p.s.first_query), sum, m0, p.s.query_rows);
  }
};

}  // namespace attestone::inline mutants::staged_blocks::block_program
