// SPDX-License-Identifier: Apache-2.0
// Host 1: tiles of queries against tiles of keys, online softmax, key tiles from the last to the first. Operands are
// packed to f32; a tile that every row of the query tile sees whole needs no mask; tiles outside the band are skipped.
#pragma once
#include "mutants/hosts/one_sweep/call.hpp"

namespace attestone::inline mutants::one_sweep {

constexpr int64_t kQueryTile = 32;
constexpr int64_t kKeyTile = 64;

/// The state of a row: maximum, sum of weights, and the output before it is divided by that sum.
struct Row {
  float m = -kInfinity, l = 0;
  std::vector<float> o;
};

/// Packed operands of a worker.
struct Scratch {
  std::vector<float> q, k, v, scores;
  std::vector<uint8_t> seen;
  std::vector<Row> rows;
};

class TiledForward : public Forward {
 public:
  void run(const Call& c) override {
    call = &c;
    const int64_t tiles = (c.a.queries + kQueryTile - 1) / kQueryTile;
    const int64_t items = c.units() * tiles;
    const int64_t workers = std::max<int64_t>(1, std::min<int64_t>(c.a.threads, 64));
    std::vector<Scratch> scratch(static_cast<size_t>(workers));
    const auto share = [&](int64_t w) {
      for (int64_t item = items * w / workers; item < items * (w + 1) / workers; ++item)
        query_tile(scratch_of(scratch, w, workers, items), unit_of(item / tiles), item % tiles * kQueryTile, item);
    };
    std::vector<std::thread> threads;
    if (run_at_once()) {
      for (int64_t w = 1; w < workers && w < items; ++w) threads.emplace_back(share, w);
      share(0);
      for (auto& t : threads) t.join();
      if (items < workers)
        for (int64_t w = items; w < workers; ++w) share(w);
    } else {
      for (int64_t w = 0; w < workers; ++w) share(w);
    }
  }

 protected:
  const Call* call = nullptr;

  virtual bool run_at_once() const { return true; }
  virtual Scratch& scratch_of(std::vector<Scratch>& all, int64_t worker, int64_t, int64_t) {
    return all[static_cast<size_t>(worker)];
  }
  virtual Unit unit_of(int64_t index) const { return call->unit(index / call->a.heads, index % call->a.heads); }

  // Operands.
  virtual void load_query(const Unit& u, int64_t i, float* to) const {
    for (int64_t d = 0; d < call->a.dim; ++d) to[d] = call->query.get(u.b, u.h, i, d) * call->scale;
  }
  virtual void load_key(const Unit& u, int64_t j, float* to) const {
    for (int64_t d = 0; d < call->a.dim; ++d) to[d] = call->key.get(u.b, u.kv_head, j, d);
  }
  virtual void load_value(const Unit& u, int64_t j, float* to) const {
    for (int64_t d = 0; d < call->a.value_dim; ++d) to[d] = call->value.get(u.b, u.kv_head, j, d);
  }
  /// The key row that slot 0 of a tile is loaded from.
  virtual int64_t tile_source(const Unit&, int64_t k0, const KeyRange&) const { return k0; }

  // Masks.
  virtual KeyRange key_range(const Unit& u, int64_t q0, int64_t q1) const { return call->key_range(u, q0, q1); }
  virtual bool visible(const Unit& u, int64_t i, int64_t j) const { return call->visible(u, i, j); }
  /// True if some pair of the tile is hidden. `last` is the tile that the loop begins with.
  virtual bool needs_mask(const Unit& u, int64_t q0, int64_t q1, int64_t k0, int64_t k1, bool /*last*/) const {
    if (k1 > u.keys || call->a.mask_form == ATTESTONE_MASK_BYTES) return true;
    if (call->a.mask_form == ATTESTONE_MASK_FULL) return false;
    return !(call->visible(u, q0, k0) && call->visible(u, q0, k1 - 1) && call->visible(u, q1 - 1, k0) &&
             call->visible(u, q1 - 1, k1 - 1));
  }

  // Scores.
  virtual float alibi(const Unit& u, int64_t i, int64_t j) const {
    return call->slopes ? call->alibi(call->slopes.get(u.h), i + u.shift, j) : 0;
  }
  virtual float bias(const Unit& u, int64_t i, int64_t j) const {
    return call->bias ? call->bias.get(u.b, u.h, i, j) : 0;
  }
  /// The score of a pair; s is q.k with the scale.
  virtual float score(const Unit& u, int64_t i, int64_t j, float s) const {
    return call->softcapped(s) + alibi(u, i, j) + bias(u, i, j);
  }
  virtual float sink(const Unit& u) const { return call->sink(u.h); }

  // Softmax.
  virtual float weight(float x) const { return std::exp(x); }
  virtual void begin_row(Row& row) const {
    row.m = -kInfinity;
    row.l = 0;
    row.o.assign(static_cast<size_t>(call->a.value_dim), 0.0f);
  }
  virtual float new_maximum(const Row& row, const float* s, const uint8_t* seen, int64_t n) const {
    float m = row.m;
    for (int64_t j = 0; j < n; ++j)
      if (seen[j] && s[j] > m) m = s[j];
    return m;
  }
  virtual void rescale(Row& row, float alpha) const {
    row.l *= alpha;
    for (float& x : row.o) x *= alpha;
  }
  virtual void add_tile(Row& row, const float* s, const uint8_t* seen, int64_t n, const float* v) const {
    const float m = new_maximum(row, s, seen, n);
    const float m_used = m == -kInfinity ? 0 : m;
    if (m != row.m) rescale(row, std::exp(row.m - m_used));
    row.m = m;
    const int64_t width = call->a.value_dim;
    for (int64_t j = 0; j < n; ++j) add_key(row, s[j] - m_used, seen[j] != 0, v + j * width);
  }
  /// x is the score above the maximum.
  virtual void add_key(Row& row, float x, bool seen, const float* v) const {
    if (!seen) return;
    const float p = weight(x), of_value = weight_of_value(p);
    row.l += p;
    for (float& o : row.o) o += of_value * *v++;
  }
  /// The weight p as it enters the product with V.
  virtual float weight_of_value(float p) const { return p; }
  virtual void finish_row(const Unit& u, int64_t i, Row& row) const {
    const float z = sink(u);
    if (z != -kInfinity) {
      const float m = z > row.m ? z : row.m;
      const float m_used = m == -kInfinity ? 0 : m;
      rescale(row, std::exp(row.m - m_used));
      row.l += std::exp(z - m_used);
      row.m = m;
    }
    const float m_used = row.m == -kInfinity ? 0 : row.m;
    for (int64_t d = 0; d < call->a.value_dim; ++d)
      call->out.set(row.l == 0 ? 0 : row.o[static_cast<size_t>(d)] / row.l, u.b, u.h, i, d);
    call->log_sum_exp.set(m_used + std::log(row.l), u.b, u.h, i);
  }

  virtual void query_tile(Scratch& x, const Unit& u, int64_t q0, int64_t /*item*/) {
    const int64_t dim = call->a.dim, width = call->a.value_dim;
    const int64_t end = std::min(q0 + kQueryTile, call->rows_of(u.b)), q1 = std::min(q0 + kQueryTile, u.queries);
    for (int64_t i = std::max(q0, u.queries); i < end; ++i) call->write_empty(u.b, u.h, i);
    if (q1 <= q0) return;
    const int64_t rows = q1 - q0;
    x.q.assign(static_cast<size_t>(kQueryTile * dim), 0);
    x.rows.resize(kQueryTile);
    for (int64_t r = 0; r < rows; ++r) {
      load_query(u, q0 + r, &x.q[static_cast<size_t>(r * dim)]);
      begin_row(x.rows[static_cast<size_t>(r)]);
    }
    const KeyRange range = key_range(u, q0, q1);
    const int64_t first = range.first / kKeyTile, last = (range.last + kKeyTile - 1) / kKeyTile;
    for (int64_t t = last; t-- > first;) key_tile(x, u, q0, q1, t * kKeyTile, range, t + 1 == last);
    for (int64_t r = 0; r < rows; ++r) finish_row(u, q0 + r, x.rows[static_cast<size_t>(r)]);
    (void)width;
  }

  virtual void key_tile(Scratch& x, const Unit& u, int64_t q0, int64_t q1, int64_t k0, const KeyRange& range,
                        bool last) {
    const int64_t dim = call->a.dim, width = call->a.value_dim;
    x.k.assign(static_cast<size_t>(kKeyTile * dim), 0);
    x.v.assign(static_cast<size_t>(kKeyTile * width), 0);
    const int64_t source = tile_source(u, k0, range);
    for (int64_t n = 0; n < kKeyTile && source + n < u.keys; ++n) {
      load_key(u, source + n, &x.k[static_cast<size_t>(n * dim)]);
      load_value(u, source + n, &x.v[static_cast<size_t>(n * width)]);
    }
    x.scores.resize(kKeyTile);
    x.seen.resize(kKeyTile);
    const bool masked = needs_mask(u, q0, q1, k0, k0 + kKeyTile, last);
    for (int64_t i = q0; i < q1; ++i) {
      for (int64_t n = 0; n < kKeyTile; ++n) {
        const int64_t j = k0 + n;
        x.seen[static_cast<size_t>(n)] = !masked || visible(u, i, j);
        float s = 0;
        if (j < u.keys) {
          for (int64_t d = 0; d < dim; ++d)
            s += x.q[static_cast<size_t>((i - q0) * dim + d)] * x.k[static_cast<size_t>(n * dim + d)];
          s = score(u, i, j, s);
          if (call->bias && bias(u, i, j) == -kInfinity) x.seen[static_cast<size_t>(n)] = 0;
        }
        x.scores[static_cast<size_t>(n)] = s;
      }
      add_tile(x.rows[static_cast<size_t>(i - q0)], x.scores.data(), x.seen.data(), kKeyTile, x.v.data());
    }
  }
};

}  // namespace attestone::inline mutants::one_sweep
