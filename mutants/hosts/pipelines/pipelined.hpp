// SPDX-License-Identifier: Apache-2.0
// Host "pipelined": a forward pass in the manner of a warp-specialised kernel. A producer fills a ring of two stages
// with tiles of K and V; the product of tile n's weights with V waits until tile n + 1 has its scores. The weights meet
// V in the input format, the softmax has base 2, the sink comes at the end.
#pragma once
#include "mutants/hosts/pipelines/problem.hpp"

namespace attestone::inline mutants::pipelines {

struct PipelinedPolicy : Rules {
  static constexpr Index kRows = 32, kKeys = 64;

  static float power_of_two(float x) { return std::exp2(x); }
  /// q.k in the arithmetic of the score's accumulator.
  static float scores(const Problem&, const float* q, const float* k, Index dim) { return dot(q, k, dim); }
  /// A weight as it meets V.
  static float weight(const Problem& p, float w) { return rounded_to(p.value.format, w); }
  /// The stage that holds V of tile n, of so many tiles.
  static Index value_stage(Index n, Index /*tiles*/) { return n % 2; }
  /// True if all pairs of the tile are visible, so that no element is asked for.
  template <class P>
  static bool is_full(const Problem& p, const Sequence& s, Index h, Index i0, Index i1, Index j0, Index j1) {
    if (p.a.mask_form == ATTESTONE_MASK_BYTES || p.bias) return false;
    (void)h;
    for (const Index j : {j0, j1 - 1})
      if (!in_band<P>(p, s, i0, j) || !in_band<P>(p, s, i1 - 1, j)) return false;
    return true;
  }
  /// True if a row needs the weights of a tile whose maximum lies so far below its own.
  static bool wanted(const Problem&, float /*below*/) { return true; }
  static float base_of(float maximum) { return maximum == -kInf ? 0.0f : maximum; }
  /// The maximum that a row goes on with, of the one so far and that of the tile's scores.
  static bool above(const Problem&, float x, float maximum) { return x > maximum; }
  static float raised(const Problem&, float maximum, float tile_maximum) { return std::max(maximum, tile_maximum); }
  /// How many keys of a tile exist for V: rows behind take part with weight 0 if there are any.
  static Index value_keys(const Problem&, const Sequence& s, Index j0) { return std::min(kKeys, s.keys - j0); }
  static Index out_row(const Problem& p, const Sequence& s, Index h, Index row) {
    return p.out.offset(s.place, h, row);
  }
};

template <class P>
class Pipelined {
 public:
  static void run(const Problem& p) {
    for (Index b = 0; b < p.a.batch; ++b) {
      const Sequence s = P::sequence(p, b);
      for (Index h = 0; h < p.a.heads; ++h) {
        for (Index i = 0; i < s.queries; i += P::kRows) Pipelined(p, s, h, i, std::min(i + P::kRows, s.queries)).tile();
        for (Index i = s.queries; i < s.query_rows; ++i) write_empty_row<P>(p, s, h, i);
      }
    }
  }

 private:
  struct Stage {
    Buffer key, value;
  };
  struct Row {
    float maximum = -kInf, sum = 0.0f, shrink = 1.0f;
    bool seen = false;
  };

  const Problem& p;
  const Sequence& s;
  const Index h, begin, count, dim, value_dim;
  Stage ring[2];
  Buffer q, out, weights;
  std::vector<char> used;  // which weights of the tile take part
  std::vector<Row> rows;

  Pipelined(const Problem& problem, const Sequence& span, Index head, Index i0, Index i1)
      : p(problem),
        s(span),
        h(head),
        begin(i0),
        count(i1 - i0),
        dim(p.a.dim),
        value_dim(p.a.value_dim),
        q(floats(count * dim)),
        out(floats(count * value_dim)),
        weights(floats(count * P::kKeys)),
        used(static_cast<std::size_t>(count * P::kKeys)),
        rows(static_cast<std::size_t>(count)) {
    for (Stage& stage : ring) stage = {floats(P::kKeys * dim), floats(P::kKeys * value_dim)};
    for (Index i = 0; i < count; ++i) p.query.load_row(&q[place(i * dim)], s.place, h, s.first_query + begin + i, dim);
  }

  void produce(Index n, Index j0) {
    Stage& stage = ring[n % 2];
    const Index keys = std::min(P::kKeys, s.keys - j0), kv = h / p.group;
    for (Index j = 0; j < keys; ++j) p.key.load_row(&stage.key[place(j * dim)], s.place, kv, s.first_key + j0 + j, dim);
    const Index value_keys = P::value_keys(p, s, j0);
    for (Index j = 0; j < value_keys; ++j)
      p.value.load_row(&stage.value[place(j * value_dim)], s.place, kv, s.first_key + j0 + j, value_dim);
  }

  void softmax(Index n, Index j0) {
    const Index keys = std::min(P::kKeys, s.keys - j0);
    const float scale = P::scale(p);
    const bool full = P::template is_full<P>(p, s, h, begin, begin + count, j0, j0 + keys);
    std::fill(used.begin(), used.end(), char(0));
    for (Index i = 0; i < count; ++i) {
      Row& row = rows[place(i)];
      float* w = &weights[place(i * P::kKeys)];
      char* use = &used[place(i * P::kKeys)];
      float tile_maximum = -kInf;
      bool seen = false;
      for (Index j = 0; j < keys; ++j) {
        if (!full && !visible<P>(p, s, h, begin + i, j0 + j)) continue;
        const float qk = P::scores(p, &q[place(i * dim)], &ring[n % 2].key[place(j * dim)], dim);
        w[j] = score<P>(p, s, h, begin + i, j0 + j, qk * scale);
        if (P::above(p, w[j], tile_maximum)) tile_maximum = w[j];
        use[j] = 1;
        seen = true;
      }
      row.shrink = 1.0f;
      row.seen |= seen;
      if (!seen) continue;
      if (row.sum > 0 && !P::wanted(p, row.maximum - tile_maximum)) {
        std::fill(use, use + keys, char(0));
        continue;
      }
      const float maximum = P::raised(p, row.maximum, tile_maximum), base = P::base_of(maximum);
      if (maximum != row.maximum)
        row.shrink =
            row.maximum == -kInf ? (row.sum == 0 ? 1.0f : 0.0f) : P::power_of_two((row.maximum - base) * kLog2e);
      row.sum *= row.shrink;
      for (Index j = 0; j < keys; ++j) {
        if (!use[j]) continue;
        w[j] = P::power_of_two((w[j] - base) * kLog2e);
        row.sum += w[j];
        if (p.a.dropout > 0 && !P::kept(p, s, h, begin + i, j0 + j)) use[j] = 0;
      }
      row.maximum = maximum;
    }
  }

  void multiply(Index n, Index tiles, Index j0) {
    const Buffer& value = ring[P::value_stage(n, tiles)].value;
    const Index keys = std::min(P::kKeys, s.keys - j0), all = P::value_keys(p, s, j0);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < keys; ++j)
        if (used[place(i * P::kKeys + j)])
          axpy(&out[place(i * value_dim)], P::weight(p, weights[place(i * P::kKeys + j)]), &value[place(j * value_dim)],
               value_dim);
      for (Index j = keys; j < all; ++j)
        axpy(&out[place(i * value_dim)], 0.0f, &value[place(j * value_dim)], value_dim);
    }
  }
  void rescale() {
    for (Index i = 0; i < count; ++i)
      if (rows[place(i)].shrink != 1.0f)
        for (Index c = 0; c < value_dim; ++c) out[place(i * value_dim + c)] *= rows[place(i)].shrink;
  }

  void tile() {
    const Range reach = key_reach<P>(p, s, begin, begin + count);
    const Index first = reach.begin / P::kKeys, tiles = ceil_div(reach.end, P::kKeys) - first;
    if (reach.end > reach.begin) {
      const auto at = [&](Index n) { return (first + n) * P::kKeys; };
      produce(0, at(0));
      softmax(0, at(0));
      for (Index n = 1; n < tiles; ++n) {
        produce(n, at(n));
        multiply(n - 1, tiles, at(n - 1));
        softmax(n, at(n));
        rescale();
      }
      multiply(tiles - 1, tiles, at(tiles - 1));
    }
    for (Index i = 0; i < count; ++i) finish(i);
  }

  void finish(Index i) {
    const Row& row = rows[place(i)];
    if (!row.seen) return write_empty_row<P>(p, s, h, begin + i);
    float maximum = row.maximum, sum = row.sum, factor = p.keep_factor();
    if (p.sink) {
      const float sink = P::sink(p, h);
      maximum = std::max(maximum, sink);
      const float base = P::base_of(maximum);
      const float shrink = std::exp(P::base_of(row.maximum) - base);
      sum = (row.sum > 0 || std::isnan(row.sum) ? row.sum * shrink : 0.0f) + std::exp(sink - base);
      factor *= shrink;
    }
    factor = sum == 0 ? 0.0f : factor / sum;
    const Index to = P::out_row(p, s, h, s.first_query + begin + i);
    for (Index c = 0; c < value_dim; ++c) p.out.store(to + c * p.out.stride[3], out[place(i * value_dim + c)] * factor);
    p.log_sum_exp.store(p.log_sum_exp.offset(s.place, h, s.first_query + begin + i),
                        P::base_of(maximum) + std::log(sum));
  }
};

}  // namespace attestone::inline mutants::pipelines
