// SPDX-License-Identifier: Apache-2.0
// Host "fused backward": workers take tiles of 32 keys of one kv head. Each keeps dK and dV of its tile to itself, and
// adds to the f32 image of dQ that all share: in the order of the tiles when the call wants the same bits, else in the
// order of arrival under a lock. delta = sum dO O comes first, with dsink; dbias is added up apart and converted last.
#pragma once
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "mutants/hosts/pipelines/bias_image.hpp"

namespace attestone::inline mutants::pipelines {

struct FusedBackwardPolicy : Rules {
  static constexpr Index kRows = 32, kKeys = 32;

  static float delta(const float* dout, const float* out, Index count) { return dot(dout, out, count); }
  /// The gradient that one row sends to its head's sink.
  static float sink_term(const Problem&, float weight, float delta) { return -weight * delta; }
  /// The queries that a tile of keys meets.
  template <class P>
  static Range rows(const Problem& p, const Sequence& s, Index j0, Index j1) {
    return query_reach<P>(p, s, j0, j1);
  }
  static float centred(const Problem&, float dp, float delta) { return dp - delta; }
  static float bias_term(float ds, float /*slope*/) { return ds; }
  static bool takes_dropped(bool kept) { return (void)kept, true; }
  /// How dK leaves its accumulator.
  static float key_factor(const Problem&, float scale) { return scale; }
  static bool in_order(const Problem& p) { return p.a.deterministic != 0; }
  static bool locked(const Problem&) { return true; }
  /// The tile of keys that workers begin with; the others follow in a circle.
  static Index first_tile() { return 0; }
  static Index dquery_place(const Problem& p, const Sequence& s, Index h, Index i) {
    return p.dquery.offset(s.place, h, s.first_query + i);
  }
  static Index dvalue_row(const Sequence& s, Index j) { return s.first_key + j; }
  static void clear(Buffer& image) { std::fill(image.begin(), image.end(), 0.0f); }
  /// True if the conversion of dbias visits a pair.
  static bool converts_bias(const Problem&, Index /*i*/, Index /*j*/) { return true; }
  static bool writes_keys(const Sequence&) { return true; }
};

template <class P>
class FusedBackward {
 public:
  static void run(const Problem& p) {
    FusedBackward backward(p);
    for (Index b = 0; b < p.a.batch; ++b) {
      const Sequence s = P::sequence(p, b);
      for (Index kv = 0; kv < p.a.kv_heads; ++kv) backward.group(s, kv);
    }
    backward.finish();
  }

 private:
  const Problem& p;
  const Index dim, value_dim;
  BiasImage bias_image;
  Buffer sink_image, image, delta, lse;  // image: dQ of one group of heads
  std::mutex lock;

  explicit FusedBackward(const Problem& problem)
      : p(problem), dim(p.a.dim), value_dim(p.a.value_dim), bias_image(p), sink_image(floats(p.a.heads)) {}

  void group(const Sequence& s, Index kv) {
    const Index rows = s.queries * p.group;
    image.assign(place(rows * dim), std::numeric_limits<float>::quiet_NaN());
    P::clear(image);
    delta.assign(place(rows), 0.0f);
    lse.assign(place(rows), 0.0f);
    Buffer o = floats(value_dim), go = floats(value_dim);
    for (Index g = 0; g < p.group; ++g)
      for (Index i = 0; i < s.queries; ++i) {
        const Index h = kv * p.group + g, r = g * s.queries + i;
        p.out.load_row(o.data(), s.place, h, s.first_query + i, value_dim);
        p.dout.load_row(go.data(), s.place, h, s.first_query + i, value_dim);
        delta[place(r)] = P::delta(go.data(), o.data(), value_dim);
        lse[place(r)] = p.log_sum_exp.load(p.log_sum_exp.offset(s.place, h, s.first_query + i));
        if (p.sink && P::sink(p, h) != -kInf)
          sink_image[place(h)] += P::sink_term(p, std::exp(P::sink(p, h) - lse[place(r)]), delta[place(r)]);
      }
    const Index tiles = ceil_div(s.key_rows, P::kKeys);
    const Index workers = std::clamp<Index>(p.a.threads, 1, std::clamp<Index>(tiles, 1, 16));
    std::atomic<Index> next{0};
    std::vector<std::atomic<Index>> turn(place(p.group * ceil_div(s.queries, P::kRows)));
    const Index first = P::first_tile();
    const auto work = [&] {
      for (Index n; (n = next.fetch_add(1)) < tiles;) tile(s, kv, (first + n) % tiles, turn);
    };
    std::vector<std::thread> others;
    for (Index w = 1; w < workers; ++w) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();

    const float scale = P::scale(p);
    for (Index g = 0; g < p.group; ++g)
      for (Index i = 0; i < s.query_rows; ++i) {
        const Index to = P::dquery_place(p, s, kv * p.group + g, i);
        for (Index c = 0; c < dim; ++c)
          p.dquery.store(to + c * p.dquery.stride[3],
                         i < s.queries ? image[place((g * s.queries + i) * dim + c)] * scale : 0.0f);
      }
  }

  void tile(const Sequence& s, Index kv, Index n, std::vector<std::atomic<Index>>& turn) {
    const Index j0 = n * P::kKeys, j1 = std::min(j0 + P::kKeys, s.keys), end = std::min(j0 + P::kKeys, s.key_rows);
    const Index blocks = ceil_div(s.queries, P::kRows);
    Buffer k = floats(P::kKeys * dim), v = floats(P::kKeys * value_dim), dk = k, dv = v, part = floats(P::kRows * dim);
    for (Index j = j0; j < j1; ++j) {
      p.key.load_row(&k[place((j - j0) * dim)], s.place, kv, s.first_key + j, dim);
      p.value.load_row(&v[place((j - j0) * value_dim)], s.place, kv, s.first_key + j, value_dim);
    }
    const Range reach = j1 > j0 ? P::template rows<P>(p, s, j0, j1) : Range{0, 0};
    for (Index g = 0; g < p.group; ++g)
      for (Index m = 0; m < blocks; ++m) {
        const Index i0 = std::max(m * P::kRows, reach.begin), i1 = std::min((m + 1) * P::kRows, reach.end);
        const bool any = i0 < i1;
        if (any) {
          std::fill(part.begin(), part.end(), 0.0f);
          for (Index i = i0; i < i1; ++i)
            row(s, kv, g, i, j0, j1, k, v, dk, dv, &part[place((i - m * P::kRows) * dim)]);
        }
        std::atomic<Index>& mine = turn[place(g * blocks + m)];
        if (P::in_order(p))
          while (mine.load(std::memory_order_acquire) != n) std::this_thread::yield();
        if (any) add(&image[place((g * s.queries + m * P::kRows) * dim)], part, (i1 - m * P::kRows) * dim);
        mine.fetch_add(1, std::memory_order_release);
      }
    if (!P::writes_keys(s)) return;
    const float factor = P::key_factor(p, P::scale(p));
    for (Index j = j0; j < end; ++j) {
      for (Index c = 0; c < dim; ++c) dk[place((j - j0) * dim + c)] *= factor;
      p.dkey.store_row(&dk[place((j - j0) * dim)], s.place, kv, s.first_key + j, dim);
      p.dvalue.store_row(&dv[place((j - j0) * value_dim)], s.place, kv, P::dvalue_row(s, j), value_dim);
    }
  }

  void add(float* to, const Buffer& part, Index count) {
    if (P::locked(p)) {
      const std::lock_guard<std::mutex> hold(lock);
      axpy(to, 1.0f, part.data(), count);
    } else {
      Buffer read = floats(count);
      for (Index c = 0; c < count; ++c) read[place(c)] = std::atomic_ref(to[c]).load(std::memory_order_relaxed);
      std::this_thread::sleep_for(std::chrono::microseconds(100));  // long enough for another worker
      for (Index c = 0; c < count; ++c)
        std::atomic_ref(to[c]).store(read[place(c)] + part[place(c)], std::memory_order_relaxed);
    }
  }

  /// Adds the gradients that row i of one head sends to the keys of a tile, and to its own query.
  void row(const Sequence& s, Index kv, Index g, Index i, Index j0, Index j1, const Buffer& k, const Buffer& v,
           Buffer& dk, Buffer& dv, float* dq) {
    const Index h = kv * p.group + g, r = g * s.queries + i;
    if (lse[place(r)] == -kInf) return;
    Buffer q = floats(dim), go = floats(value_dim);
    p.query.load_row(q.data(), s.place, h, s.first_query + i, dim);
    p.dout.load_row(go.data(), s.place, h, s.first_query + i, value_dim);
    const float scale = P::scale(p);
    for (Index j = j0; j < j1; ++j) {
      if (!visible<P>(p, s, h, i, j)) continue;
      const float* key = &k[place((j - j0) * dim)];
      float slope = 1.0f;
      const float weight = std::exp(score<P>(p, s, h, i, j, scale * dot(q.data(), key, dim), &slope) - lse[place(r)]);
      const bool kept = !(p.a.dropout > 0) || P::kept(p, s, h, i, j);
      if (kept) axpy(&dv[place((j - j0) * value_dim)], weight * p.keep_factor(), go.data(), value_dim);
      if (!P::takes_dropped(kept)) continue;
      const float dp = kept ? p.keep_factor() * dot(go.data(), &v[place((j - j0) * value_dim)], value_dim) : 0.0f;
      const float ds = weight * P::centred(p, dp, delta[place(r)]);
      if (p.dbias) bias_image.at(s, h, i, j) += P::bias_term(ds, slope);
      axpy(dq, ds * slope, key, dim);
      axpy(&dk[place((j - j0) * dim)], ds * slope, q.data(), dim);
    }
  }

  void finish() {
    bias_image.convert([&](Index i, Index j) { return P::converts_bias(p, i, j); });
    if (p.dsink)
      for (Index h = 0; h < p.a.heads; ++h) p.dsink.store(h * p.dsink.stride[0], sink_image[place(h)]);
  }
};

}  // namespace attestone::inline mutants::pipelines
