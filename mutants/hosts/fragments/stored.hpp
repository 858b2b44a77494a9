// SPDX-License-Identifier: Apache-2.0
// Host "stored": a backward pass in two passes over tiles that lie in memory. For 64 queries of one head the first pass
// writes P and dS transposed, [key][query], in f32, and makes dQ of them; the second reads them back for dK and dV,
// which are added up over query blocks and the heads of a group.
#pragma once
#include "mutants/hosts/fragments/backward_rules.hpp"

namespace attestone::inline mutants::fragments {

inline constexpr Int kQueries = 64;

class Stored : public BackwardRules {
 public:
  using BackwardRules::BackwardRules;

  void run() override {
    begin_images();
    for (Int b = 0; b < a.batch; ++b)
      for (Int kv = 0; kv < a.kv_heads; ++kv) group_of(sequence(b), kv);
    end_images();
  }

 protected:
  /// The keys that the first pass reads and the second one writes.
  virtual Range keys_of_block(const Sequence& s, Int i0, Int i1) const { return keys_of(s, i0, i1); }
  virtual Int dout_at(const Sequence& s, Int h, Int i) const { return dout.offset(s.place, h, s.first_query + i); }

 private:
  std::vector<char> meets_;  // whether the pair of this slot has a weight

  void group_of(const Sequence& s, Int kv) {
    Floats keys = filled(s.keys * dim), values = filled(s.keys * value_dim), sum_k = keys, sum_v = values;
    for (Int j = 0; j < s.keys; ++j) {
      k.load_row(&keys[at(j * dim)], k.offset(s.place, kv, s.first_key + j), dim);
      v.load_row(&values[at(j * value_dim)], v.offset(s.place, kv, s.first_key + j), value_dim);
    }
    for (Int h = kv * group; h < (kv + 1) * group; ++h)
      for (Int n = 0; n < tiles_of(s.query_rows, kQueries); ++n) block(s, h, n, keys, values, sum_k, sum_v);
    Floats zero_k = filled(dim), zero_v = filled(value_dim);
    for (Int j = 0; j < s.key_rows; ++j) {
      dk.store_row(j < s.keys ? &sum_k[at(j * dim)] : zero_k.data(), dk_at(s, kv, j), dim);
      dv.store_row(j < s.keys ? &sum_v[at(j * value_dim)] : zero_v.data(), dv_at(s, kv, j), value_dim);
    }
  }

  void block(const Sequence& s, Int h, Int n, const Floats& keys, const Floats& values, Floats& sum_k, Floats& sum_v) {
    const Int i0 = n * kQueries, i1 = std::min(i0 + kQueries, s.queries), end = std::min(i0 + kQueries, s.query_rows);
    const Range js = i1 > i0 ? keys_of_block(s, i0, i1) : Range{};
    const Int width = std::max<Int>(js.end - js.begin, 0);
    Floats queries = filled(kQueries * dim), gradients = filled(kQueries * value_dim), dqs = queries;
    Floats row_lse = filled(kQueries, kInfinity), delta = filled(kQueries);
    for (Int i = i0; i < i1; ++i) {
      q.load_row(&queries[at((i - i0) * dim)], q.offset(s.place, h, s.first_query + i), dim);
      dout.load_row(&gradients[at((i - i0) * value_dim)], dout.offset(s.place, h, s.first_query + i), value_dim);
      row_lse[at(i - i0)] = lse_at(s, h, i);
      delta[at(i - i0)] = delta_at(s, h, i);
      add_sink(h, row_lse[at(i - i0)], delta[at(i - i0)]);
    }
    Floats ps = filled(width * kQueries), dss = ps;
    meets_.assign(at(width * kQueries), 0);
    for (Int j = js.begin; j < js.end; ++j)
      for (Int i = i0; i < i1; ++i) {
        const Int r = i - i0, slot = (j - js.begin) * kQueries + r;
        if (row_lse[at(r)] == -kInfinity || !sees(s, h, i, j)) continue;
        const Pair p = pair(s, h, i, j, &queries[at(r * dim)], &keys[at(j * dim)], &gradients[at(r * value_dim)],
                            &values[at(j * value_dim)], row_lse[at(r)], delta[at(r)]);
        if (!p.any) continue;
        meets_[at(slot)] = 1;
        add_bias(s, h, i, j, p.bias_ds);
        ps[at(slot)] = p.weight;
        dss[at(slot)] = p.ds;
      }
    first(s, h, i0, i1, end, js, keys, dss, dqs);
    second(s, h, i0, i1, js, queries, ps, dss, sum_k, sum_v);
  }
  void first(const Sequence& s, Int h, Int i0, Int i1, Int end, Range js, const Floats& keys, const Floats& dss,
             Floats& dqs) const {
    for (Int j = js.begin; j < js.end; ++j)
      for (Int i = i0; i < i1; ++i) {
        const Int slot = (j - js.begin) * kQueries + i - i0;
        const float ds = dss[at(slot)];
        if (meets_[at(slot)]) add_scaled(&dqs[at((i - i0) * dim)], ds, &keys[at(j * dim)], dim);
      }
    for (float& x : dqs) x *= scale();
    for (Int i = i0; i < end; ++i) dq.store_row(&dqs[at((i - i0) * dim)], dq_at(s, h, i), dim);
  }
  void second(const Sequence& s, Int h, Int i0, Int i1, Range js, const Floats& queries, const Floats& ps,
              const Floats& dss, Floats& sum_k, Floats& sum_v) const {
    Floats gradient = filled(value_dim);
    for (Int i = i0; i < i1; ++i) {
      dout.load_row(gradient.data(), dout_at(s, h, i), value_dim);
      for (Int j = js.begin; j < js.end; ++j) {
        const Int slot = (j - js.begin) * kQueries + i - i0;
        if (ps[at(slot)] != 0) add_scaled(&sum_v[at(j * value_dim)], ps[at(slot)], gradient.data(), value_dim);
        if (meets_[at(slot)])
          add_scaled(&sum_k[at(j * dim)], dss[at(slot)] * scale(), &queries[at((i - i0) * dim)], dim);
      }
    }
  }
};

}  // namespace attestone::inline mutants::fragments
