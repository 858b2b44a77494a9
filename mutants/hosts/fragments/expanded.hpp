// SPDX-License-Identifier: Apache-2.0
// Host "expanded": a backward pass as three kernels. The first makes delta and a padded log_sum_exp; the second takes
// tiles of 32 keys of each query head, adds to a padded f32 image of dQ and makes dK and dV for each query head; the
// third converts dQ and sums dK and dV over the heads of a group.
#pragma once
#include <thread>

#include "mutants/hosts/fragments/backward_rules.hpp"

namespace attestone::inline mutants::fragments {

inline constexpr Int kTile = 32;

class Expanded : public BackwardRules {
 public:
  using BackwardRules::BackwardRules;

  void run() override {
    begin_images();
    for (Int b = 0; b < a.batch; ++b) {
      const Sequence s = sequence(b);
      rows_ = tiles_of(s.query_rows, kTile) * kTile;
      delta_ = filled(rows_ * a.heads);
      lse_ = filled(rows_ * a.heads, kInfinity);
      dq_image_ = filled(rows_ * a.heads * dim);
      dk_heads_ = filled(a.heads * s.keys * dim);
      dv_heads_ = filled(a.heads * s.keys * value_dim);
      preprocess(s);
      const int count = workers(a.heads);
      const auto work = [&](Int first) {
        for (Int h = first; h < a.heads; h += count) head(s, h);
      };
      std::vector<std::thread> others;
      if (!dbias)
        for (int w = 1; w < count; ++w) others.emplace_back(work, w);
      if (dbias)
        for (Int h = 0; h < a.heads; ++h) head(s, h);
      else
        work(0);
      for (std::thread& other : others) other.join();
      finished();
      convert(s);
    }
    end_images();
  }

 protected:
  virtual void preprocess(const Sequence& s) { preprocess_heads(s, 0, a.heads); }
  virtual void finished() {}
  /// The log_sum_exp of rows after the last query.
  virtual float lse_of_tail(float /*last*/) const { return kInfinity; }
  virtual Range rows_of(const Sequence& s, Int j0, Int j1) const { return queries_of(s, j0, j1); }
  /// The n-th query head that belongs to a kv head.
  virtual Int member(Int kv, Int n) const { return kv * group + n; }
  /// True if rows after the last query, whose Q and dO are zeros, take part.
  virtual bool takes_tail() const { return false; }

  void preprocess_heads(const Sequence& s, Int h0, Int h1) {
    for (Int h = h0; h < h1; ++h) {
      for (Int i = 0; i < s.queries; ++i) {
        lse_[at(h * rows_ + i)] = lse_at(s, h, i);
        delta_[at(h * rows_ + i)] = delta_at(s, h, i);
        add_sink(h, lse_[at(h * rows_ + i)], delta_[at(h * rows_ + i)]);
      }
      for (Int i = std::max<Int>(s.queries, 1); i < rows_; ++i)
        lse_[at(h * rows_ + i)] = s.queries == 0 ? kInfinity : lse_of_tail(lse_[at(h * rows_ + s.queries - 1)]);
    }
  }

  Int rows_ = 0;
  Floats delta_, lse_, dq_image_, dk_heads_, dv_heads_;

 private:
  void head(const Sequence& s, Int h) {
    const Int kv = h / group;
    Floats key = filled(kTile * dim), value = filled(kTile * value_dim), query = filled(dim), go = filled(value_dim);
    for (Int j0 = 0; j0 < s.keys; j0 += kTile) {
      const Int j1 = std::min(j0 + kTile, s.keys);
      for (Int j = j0; j < j1; ++j) {
        k.load_row(&key[at((j - j0) * dim)], k.offset(s.place, kv, s.first_key + j), dim);
        v.load_row(&value[at((j - j0) * value_dim)], v.offset(s.place, kv, s.first_key + j), value_dim);
      }
      const Range reach = rows_of(s, j0, j1);
      if (reach.empty()) continue;
      const Int end = tiles_of(reach.end, kTile) * kTile;
      for (Int i = reach.begin / kTile * kTile; i < end; ++i) {
        const float row_lse = lse_[at(h * rows_ + i)], delta = delta_[at(h * rows_ + i)];
        if (i >= s.queries) {
          if (takes_tail()) tail(s, h, j0, j1, row_lse);
          continue;
        }
        if (row_lse == -kInfinity) continue;
        q.load_row(query.data(), q.offset(s.place, h, s.first_query + i), dim);
        dout.load_row(go.data(), dout.offset(s.place, h, s.first_query + i), value_dim);
        for (Int j = j0; j < j1; ++j) {
          if (!sees(s, h, i, j)) continue;
          const float* here = &key[at((j - j0) * dim)];
          const float* there = &value[at((j - j0) * value_dim)];
          const Pair p = pair(s, h, i, j, query.data(), here, go.data(), there, row_lse, delta);
          if (!p.any) continue;
          add_bias(s, h, i, j, p.bias_ds);
          if (p.weight != 0) add_scaled(&dv_heads_[at((h * s.keys + j) * value_dim)], p.weight, go.data(), value_dim);
          add_scaled(&dq_image_[at((h * rows_ + i) * dim)], p.ds, here, dim);
          add_scaled(&dk_heads_[at((h * s.keys + j) * dim)], p.ds, query.data(), dim);
        }
      }
    }
  }
  /// A row of zeros: its scores are 0, and so are its gradients.
  void tail(const Sequence& s, Int h, Int j0, Int j1, float row_lse) {
    const float weight = std::exp(0.0f - row_lse);
    for (Int j = j0; j < j1; ++j) {
      for (Int c = 0; c < value_dim; ++c) dv_heads_[at((h * s.keys + j) * value_dim + c)] += weight * 0.0f;
      for (Int c = 0; c < dim; ++c) dk_heads_[at((h * s.keys + j) * dim + c)] += weight * 0.0f;
    }
  }
  void convert(const Sequence& s) const {
    Floats row = filled(dim), column = filled(value_dim);
    for (Int h = 0; h < a.heads; ++h)
      for (Int i = 0; i < s.query_rows; ++i) {
        for (Int c = 0; c < dim; ++c)
          row[at(c)] = i < s.queries ? dq_image_[at((h * rows_ + i) * dim + c)] * scale() : 0.0f;
        dq.store_row(row.data(), dq_at(s, h, i), dim);
      }
    for (Int kv = 0; kv < a.kv_heads; ++kv)
      for (Int j = 0; j < s.key_rows; ++j) {
        std::fill(row.begin(), row.end(), 0.0f);
        std::fill(column.begin(), column.end(), 0.0f);
        for (Int n = 0; j < s.keys && n < group; ++n) {
          const Int h = member(kv, n);
          add_scaled(row.data(), scale(), &dk_heads_[at((h * s.keys + j) * dim)], dim);
          add_scaled(column.data(), 1.0f, &dv_heads_[at((h * s.keys + j) * value_dim)], value_dim);
        }
        dk.store_row(row.data(), dk_at(s, kv, j), dim);
        dv.store_row(column.data(), dv_at(s, kv, j), value_dim);
      }
  }
};

}  // namespace attestone::inline mutants::fragments
