// SPDX-License-Identifier: Apache-2.0
// Host "persistent": a fixed number of workers take tiles of 64 queries from a counter, the heaviest first. Uniform
// batches go in sections of eight (sequence, head) pairs that share a cache; others through the running number of tiles
// of each sequence, searched by groups of 31. All in f32, scale on q, softmax of base e with the sink as first entry.
#pragma once
#include <atomic>
#include <thread>

#include "mutants/hosts/pipelines/problem.hpp"

namespace attestone::inline mutants::pipelines {

struct PersistentPolicy : Rules {
  static constexpr Index kRows = 64, kKeys = 48, kSection = 8, kLanes = 31;

  struct Tile {
    Index sequence, head, number;  // number: of the tile of queries within its sequence
  };
  static Tile uniform_tile(const Problem& p, Index t, Index tiles) {
    const Index pairs = p.a.batch * p.a.heads, section = t / (kSection * tiles), within = t % (kSection * tiles);
    const Index width = std::min(kSection, pairs - section * kSection);
    const Index pair = section * kSection + within % width;
    return {pair / p.a.heads, pair % p.a.heads, tiles - 1 - within / width};
  }
  /// The sequence that work item t lies in; starts[b] is where those of sequence b begin.
  static Index sequence_of(const std::vector<Index>& starts, Index t) {
    const auto batch = static_cast<Index>(starts.size()) - 1;
    Index group = 0;
    while (group + kLanes < batch && starts[place(group + kLanes)] <= t) group += kLanes;
    const Index end = std::min(group + kLanes, batch);
    Index lane = group;
    while (lane + 1 < end && starts[place(lane + 1)] <= t) ++lane;
    return lane;
  }
  static Index value_row(const Problem&, const Sequence& s, Index j) { return s.first_key + j; }
  /// A word of the set of key tiles that a tile of queries sees.
  using Word = std::uint64_t;
  static constexpr Index kBits = 64;
  /// For masks of bytes: which tiles of keys the rows [i0, i1) see.
  template <class P>
  static std::vector<Word> key_tiles(const Problem& p, const Sequence& s, Index h, Index i0, Index i1) {
    std::vector<Word> words(place(ceil_div(s.keys, P::kKeys * kBits)), Word(0));
    for (Index j = 0; j < s.keys; ++j)
      for (Index i = i0; i < i1; ++i)
        if (P::mask_byte(p, s, h, i, j)) {
          words[place(j / P::kKeys / kBits)] |= Word(1) << (j / P::kKeys % kBits);
          break;
        }
    return words;
  }
  static Index workers(const Problem& p, Index items) {
    return std::clamp<Index>(p.a.threads, 1, std::min<Index>(items, 16));
  }
  /// The value of the counter of items after a call, from which the next call begins.
  static Index rewound(Index /*items*/, Index /*workers*/) { return 0; }
};

template <class P>
class Persistent {
 public:
  static void run(const Problem& p) {
    std::vector<Index> starts{0};
    for (Index b = 0; b < p.a.batch; ++b) {
      const Sequence s = P::sequence(p, b);
      starts.push_back(starts.back() + ceil_div(s.queries, P::kRows) * p.a.heads);
      for (Index h = 0; h < p.a.heads; ++h)
        for (Index i = s.queries; i < s.query_rows; ++i) write_empty_row<P>(p, s, h, i);
    }
    const Index items = starts.back();
    if (items == 0) return;
    const Index workers = P::workers(p, items);
    static thread_local Index first = 0;  // the counter outlives the call
    std::atomic<Index> counter{first};
    const auto work = [&] {
      for (Index t; (t = counter.fetch_add(1)) < items;) {
        const auto tile = find(p, starts, t);
        if (tile.sequence >= p.a.batch) continue;
        Persistent(p, P::sequence(p, tile.sequence), tile.head, tile.number).tile();
      }
    };
    std::vector<std::thread> others;
    for (Index w = 1; w < workers; ++w) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    first = P::rewound(items, workers);
  }

 private:
  const Problem& p;
  const Sequence s;
  const Index h, begin, count, dim, value_dim;

  Persistent(const Problem& problem, const Sequence& span, Index head, Index number)
      : p(problem),
        s(span),
        h(head),
        begin(number * P::kRows),
        count(std::min(P::kRows, s.queries - begin)),
        dim(p.a.dim),
        value_dim(p.a.value_dim) {}

  static typename P::Tile find(const Problem& p, const std::vector<Index>& starts, Index t) {
    if (p.uniform()) return P::uniform_tile(p, t, ceil_div(p.a.queries, P::kRows));
    const Index b = P::sequence_of(starts, t);
    if (b >= p.a.batch) return {b, 0, 0};
    const Index tiles = (starts[place(b + 1)] - starts[place(b)]) / p.a.heads;
    const Index within = t - starts[place(b)];
    return {b, tiles == 0 ? 0 : within / tiles, tiles == 0 ? 0 : tiles - 1 - within % tiles};
  }

  void tile() {
    if (count <= 0) return;
    const float scale = P::scale(p);
    Buffer q = floats(count * dim), k = floats(P::kKeys * dim), v = floats(P::kKeys * value_dim),
           out = floats(count * value_dim), w = floats(P::kKeys), sum = floats(count), maximum = floats(count, -kInf);
    std::vector<char> seen(place(count), 0), shown(place(P::kKeys));
    for (Index i = 0; i < count; ++i) {
      p.query.load_row(&q[place(i * dim)], s.place, h, s.first_query + begin + i, dim);
      for (Index c = 0; c < dim; ++c) q[place(i * dim + c)] *= scale;
      if (p.sink) {
        maximum[place(i)] = P::sink(p, h);
        sum[place(i)] = maximum[place(i)] == -kInf ? 0.0f : std::exp(maximum[place(i)] - maximum[place(i)]);
      }
    }
    const Range reach = key_reach<P>(p, s, begin, begin + count);
    const bool bytes = p.a.mask_form == ATTESTONE_MASK_BYTES;
    std::vector<typename P::Word> words;
    if (bytes) words = P::template key_tiles<P>(p, s, h, begin, begin + count);
    for (Index n = reach.begin / P::kKeys; n * P::kKeys < reach.end; ++n) {
      if (bytes && (words[place(n / P::kBits)] >> (n % P::kBits) & 1) == 0) continue;
      const Index j0 = n * P::kKeys, keys = std::min(P::kKeys, s.keys - j0), kv = h / p.group;
      for (Index j = 0; j < keys; ++j) {
        p.key.load_row(&k[place(j * dim)], s.place, kv, s.first_key + j0 + j, dim);
        p.value.load_row(&v[place(j * value_dim)], s.place, kv, P::value_row(p, s, j0 + j), value_dim);
      }
      for (Index i = 0; i < count; ++i) {
        float& m = maximum[place(i)];
        float high = m;
        bool any = false;
        for (Index j = 0; j < keys; ++j) {
          shown[place(j)] = visible<P>(p, s, h, begin + i, j0 + j);
          if (!shown[place(j)]) continue;
          any = true;
          w[place(j)] = score<P>(p, s, h, begin + i, j0 + j, dot(&q[place(i * dim)], &k[place(j * dim)], dim));
          if (w[place(j)] > high) high = w[place(j)];
        }
        if (!any) continue;
        seen[place(i)] = 1;
        const float base = high == -kInf ? 0.0f : high;
        if (high > m && m != -kInf) {
          const float shrink = std::exp(m - base);
          sum[place(i)] *= shrink;
          for (Index c = 0; c < value_dim; ++c) out[place(i * value_dim + c)] *= shrink;
        }
        m = high;
        for (Index j = 0; j < keys; ++j) {
          if (!shown[place(j)]) continue;
          const float weight = std::exp(w[place(j)] - base);
          sum[place(i)] += weight;
          if (p.a.dropout > 0 && !P::kept(p, s, h, begin + i, j0 + j)) continue;
          axpy(&out[place(i * value_dim)], weight, &v[place(j * value_dim)], value_dim);
        }
      }
    }
    for (Index i = 0; i < count; ++i) {
      if (!seen[place(i)]) {
        write_empty_row<P>(p, s, h, begin + i);
        continue;
      }
      const float factor = sum[place(i)] == 0 ? 0.0f : p.keep_factor() / sum[place(i)];
      for (Index c = 0; c < value_dim; ++c) out[place(i * value_dim + c)] *= factor;
      const Index row = s.first_query + begin + i;
      p.out.store_row(&out[place(i * value_dim)], s.place, h, row, value_dim);
      const float base = maximum[place(i)] == -kInf ? 0.0f : maximum[place(i)];
      p.log_sum_exp.store(p.log_sum_exp.offset(s.place, h, row), base + std::log(sum[place(i)]));
    }
  }
};

}  // namespace attestone::inline mutants::pipelines
