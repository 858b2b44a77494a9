// SPDX-License-Identifier: Apache-2.0
// Decoding in the producer-consumer host: one query of each head, the heads of a group packed as rows, the keys split.
#pragma once

#include "mutants/hosts/staged_blocks/producer_consumer_pipeline.hpp"
#include "mutants/hosts/staged_blocks/producer_consumer_softmax.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {

template <class P>
class Decode {
 public:
  static void run(const Call& c, const Sequence& s) {
    for (Int n = 0; n < P::head_tiles(c.a.heads, c.a.kv_heads); ++n) {
      auto tile = P::head_tile(n, c.a.heads, c.a.kv_heads);
      tile.end = std::min<Int>(tile.end, c.a.heads);
      if (tile.first < tile.end) heads(c, s, tile);
    }
  }

 private:
  using HeadTile = typename P::HeadTile;

  static void heads(const Call& c, const Sequence& s, const HeadTile& tile) {
    const Band band = band_of<P>(c, s);
    const Int splits = P::splits(s.keys), length = P::split_length(s.keys, splits), rows = tile.end - tile.first;
    std::vector<Softmax> parts;
    bool empty_before = false;
    for (Int split = 0; split < splits; ++split) {
      const Int begin = std::max(band.lo(0), split * length), end = std::min(band.hi(0), (split + 1) * length);
      const bool empty = begin >= end;
      Softmax part(rows, c.a.value_dim);
      if (c.sink && P::seeds_sink(split, empty, empty_before))
        for (Int r = 0; r < rows; ++r) part.add_sink(r, c.sink_of(tile.first + r));
      empty_before = empty;
      if (!empty) keys(c, s, tile, band, begin, end, part);
      if (splits > 1 && !P::stores_partial_sums(c)) {
        std::fill(part.m.begin(), part.m.end(), 0.0f);
        std::fill(part.l.begin(), part.l.end(), 1.0f);
      }
      parts.push_back(std::move(part));
    }
    for (Int r = 0; r < rows; ++r) merge(c, s, tile.first + r, parts, r);
  }

  static void keys(const Call& c, const Sequence& s, const HeadTile& tile, const Band& band, Int begin, Int end,
                   Softmax& part) {
    Pipeline<P> pipeline(c, s, tile.kv_head);
    ScoreRow<P> scores;
    const Int n0 = begin / P::kBlockN, n1 = ceil_div(end, P::kBlockN);
    pipeline.produce(n0);
    for (Int n = n0; n < n1; ++n) {
      if (n + 1 < n1) pipeline.produce(n + 1);
      const Stage* stage = pipeline.wait();
      for (Int h = tile.first; h < tile.end; ++h) {
        const Floats q = load_queries(c, s, h, 0, 1);
        scores.compute(c, s, band, h, P::decode_slope_head(h, tile.kv_head), 0, q.data(), stage->k.data(), n, true);
        for (Int j = 0; j < P::kBlockN; ++j)
          if (n * P::kBlockN + j < begin || n * P::kBlockN + j >= end) scores.hidden[at(j)] = 1;
        part.template step<P>(h - tile.first, scores, stage->v.data(), c.in);
      }
      pipeline.release();
    }
  }

  static void merge(const Call& c, const Sequence& s, Int h, const std::vector<Softmax>& parts, Int r) {
    Softmax all(1, c.a.value_dim);
    for (const Softmax& part : parts) {
      if (part.l[at(r)] == 0) continue;
      if (part.m[at(r)] > all.m[0]) all.raise(0, part.m[at(r)]);
      const float weight = std::exp(or_zero(part.m[at(r)]) - or_zero(all.m[0]));
      all.l[0] += part.l[at(r)] * weight;
      for (Int d = 0; d < all.width; ++d) all.o[at(d)] += weight * part.output(r)[d];
    }
    for (Int d = 0; c.out && d < all.width; ++d)
      c.out.store(c.out.offset(s.place, h, s.first_query, d), all.l[0] == 0 ? 0.0f : all.o[at(d)] / all.l[0]);
    if (c.log_sum_exp) c.log_sum_exp.store(c.log_sum_exp.offset(s.place, h, s.first_query), all.log_sum_exp(0));
  }
};

}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
