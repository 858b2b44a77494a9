// SPDX-License-Identifier: Apache-2.0
// The forward pass of the block program: blocks of keys that all rows see go without a mask, those at both borders
// with.
#pragma once

#include "mutants/hosts/staged_blocks/block_program_blocks.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {

template <class P>
class Forward {
 public:
  static void run(const Call& c) {
    for (Int bh = 0; bh < c.a.batch * c.a.heads; ++bh) {
      const Program<P> p(c, P::sequence(c, bh / c.a.heads), bh % c.a.heads);
      for (Int m0 = 0; m0 < p.s.query_rows; m0 += P::kBlockM) rows(p, m0, std::min(P::kBlockM, p.s.query_rows - m0));
    }
  }

 private:
  struct State {
    Block acc;
    Floats m, l;
    explicit State(Int width)
        : acc(P::kBlockM, width), m(at(P::kBlockM), P::initial_maximum()), l(at(P::kBlockM), 0.0f) {}
  };

  static void rows(const Program<P>& p, Int m0, Int count) {
    const Int real = std::clamp<Int>(p.s.queries - m0, 0, P::kBlockM), n = P::kBlockN;
    State state(p.c.a.value_dim);
    if (real > 0) {
      const Block q = p.queries(m0, P::kBlockM);
      const Int last = m0 + real - 1, lo = p.lo(m0) / n * n, hi = p.hi(last);
      if (P::skips_block(lo >= hi)) return;
      Int free_lo = ceil_div(p.lo(last), n) * n, free_hi = p.hi(m0) / n * n;
      if (p.hi(m0) == p.s.keys && P::keys_fill_blocks(p.c, p.s)) free_hi = ceil_div(p.s.keys, n) * n;
      if (p.c.masked_by_bytes() || free_lo >= free_hi) free_lo = free_hi = lo;
      keys(p, state, q, m0, lo, free_lo, true);
      keys(p, state, q, m0, free_lo, free_hi, false);
      keys(p, state, q, m0, free_hi, hi, true);
    }
    epilogue(p, state, m0, count, real);
  }

  /// Blocks of keys from lo up to hi.
  static void keys(const Program<P>& p, State& state, const Block& q, Int m0, Int lo, Int hi, bool masked) {
    const Int rows = std::min(P::kBlockM, p.s.queries - m0);
    for (Int n0 = lo; n0 < hi; n0 += P::kBlockN) {
      const Block k = p.keys(n0, P::kBlockN), v = p.values(n0, P::kBlockN);
      for (Int r = 0; r < rows; ++r) row(p, state, q[r], k, v, m0 + r, r, n0, masked);
    }
  }

  /// Query i, row r of the block, against one block of keys.
  static void row(const Program<P>& p, State& state, const float* q, const Block& k, const Block& v, Int i, Int r,
                  Int n0, bool masked) {
    const Call& c = p.c;
    Floats scores(at(P::kBlockN));
    std::vector<char> hidden(at(P::kBlockN));
    float top = state.m[at(r)];
    for (Int n = 0; n < P::kBlockN; ++n) {
      bool hides = masked && !p.sees(i, n0 + n);
      if (!hides) {
        float t = 0.0f;
        scores[at(n)] = p.score(P::scaled_product(c, q, k[n], false), i, n0 + n, t, hides);
        if (!hides && scores[at(n)] > top) top = scores[at(n)];
      }
      hidden[at(n)] = hides ? 1 : 0;
    }
    const float used = top == -kInfinity ? 0.0f : top, before = state.m[at(r)];
    const float alpha = before == top ? 1.0f : before == -kInfinity ? 0.0f : exponential(before - used);
    float* acc = state.acc[r];
    if (state.l[at(r)] != 0 && alpha != 1) {
      state.l[at(r)] *= alpha;
      for (Int d = 0; d < c.a.value_dim; ++d) acc[d] *= alpha;
    }
    float sum = 0.0f;
    for (Int n = 0; n < P::kBlockN; ++n) {
      if (hidden[at(n)]) continue;
      const float e = exponential(scores[at(n)] - used);
      sum += e;
      if (e == 0 || !p.keeps(i, n0 + n)) continue;
      const float w = rounded(e, c.in) * p.keep_factor();
      for (Int d = 0; d < c.a.value_dim; ++d) acc[d] += w * v[n][d];
    }
    state.l[at(r)] += sum;
    state.m[at(r)] = top;
  }

  static void epilogue(const Program<P>& p, State& state, Int m0, Int count, Int real) {
    const Call& c = p.c;
    const float sink = c.sink_of(p.h);
    for (Int r = 0; r < count; ++r) {
      float m = r < real ? state.m[at(r)] : -kInfinity, l = r < real ? state.l[at(r)] : 0.0f, shrink = 1.0f;
      if (sink > m) {
        shrink = m == -kInfinity ? 0.0f : exponential(m - sink);
        m = sink;
      }
      if (l != 0) l *= shrink;
      const bool empty = l == 0;
      if (sink != -kInfinity) l += exponential(sink - m);
      for (Int d = 0; d < c.a.value_dim; ++d) state.acc[r][d] = empty ? 0.0f : state.acc[r][d] * shrink / l;
      const float lse = l == 0 ? -kInfinity : (m == -kInfinity ? 0.0f : m) + std::log(l);
      if (c.log_sum_exp) c.log_sum_exp.store(c.log_sum_exp.offset(p.s.place, p.h, p.s.first_query + m0 + r), lse);
    }
    if (c.out) store(pointer(c.out, p.s.place, p.h, p.s.first_query), state.acc, m0, p.s.query_rows);
  }
};

}  // namespace attestone::inline mutants::staged_blocks::block_program
