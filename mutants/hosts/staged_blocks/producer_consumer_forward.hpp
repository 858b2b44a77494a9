// SPDX-License-Identifier: Apache-2.0
// The forward pass of the producer-consumer host: two query tiles take turns on each stage, from the last tile of keys
// to the first, and an epilogue goes through a staging tile.
#pragma once

#include "mutants/hosts/staged_blocks/producer_consumer_decode.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {

template <class P>
class Forward {
 public:
  static void run(const Call& c) {
    for (Int b = 0; b < c.a.batch; ++b) {
      const Sequence s = c.sequence(b);
      for (Int h = 0; h < c.a.heads; ++h)
        for (Int i = s.queries; i < s.query_rows; ++i) store_empty(c, s, h, i, false);
      if (c.a.queries == 1) {
        if (s.queries > 0) Decode<P>::run(c, s);
        continue;
      }
      for (Int x = 0; x < c.a.heads; ++x) {
        const Int h = P::scheduled_head(x, c.a.kv_heads, c.group);
        if (h >= c.a.heads) continue;
        for (Int m = 0; m < s.queries; m += 2 * P::kBlockM) two_tiles(c, s, h, m);
      }
    }
  }

 private:
  static void store_empty(const Call& c, const Sequence& s, Int h, Int i, bool early_exit) {
    for (Int d = 0; c.out && d < c.a.value_dim; ++d) c.out.store(c.out.offset(s.place, h, s.first_query + i, d), 0.0f);
    if (!c.log_sum_exp) return;
    const Int place =
        early_exit ? P::early_exit_lse_place(c, s, h, i) : c.log_sum_exp.offset(s.place, h, s.first_query + i);
    if (place >= 0) c.log_sum_exp.store(place, P::empty_lse(c.sink_of(h), early_exit));
  }

  struct QueryTile {
    Int m0, m1;
    TileRange<P> range;
    Floats q;
    Softmax state;
  };

  static void two_tiles(const Call& c, const Sequence& s, Int h, Int m) {
    const Band band = band_of<P>(c, s);
    std::vector<QueryTile> tiles;  // ping and pong
    Int first = reading::Band::unbounded, last = 0;
    for (Int m0 = m; m0 < std::min(s.queries, m + 2 * P::kBlockM); m0 += P::kBlockM) {
      const Int m1 = std::min(m0 + P::kBlockM, s.queries);
      const TileRange<P> range(c, s, band, m0, m1);
      if (range.empty()) {
        for (Int i = m0; i < m1; ++i) store_empty(c, s, h, i, true);
        continue;
      }
      tiles.push_back({m0, m1, range, load_queries(c, s, h, m0, m1), Softmax(m1 - m0, c.a.value_dim)});
      first = std::min(first, range.min);
      last = std::max(last, range.max);
    }
    if (tiles.empty()) return;
    keys(c, s, h, band, first, last, tiles);
    for (QueryTile& tile : tiles) epilogue(c, s, h, tile);
  }

  static void keys(const Call& c, const Sequence& s, Int h, const Band& band, Int first, Int last,
                   std::vector<QueryTile>& tiles) {
    Pipeline<P> pipeline(c, s, h / c.group);
    ScoreRow<P> scores;
    const auto tile_at = [&](Int step) { return P::kForwardOrder ? first + step : last - 1 - step; };
    pipeline.produce(tile_at(0));
    for (Int step = 0; step < last - first; ++step) {
      if (step + 1 < last - first) pipeline.produce(tile_at(step + 1));
      const Stage* stage = pipeline.wait();
      for (QueryTile& tile : tiles) {
        if (stage->tile < tile.range.min || stage->tile >= tile.range.max) continue;
        const bool masked = !tile.range.free(stage->tile);
        for (Int i = tile.m0; i < tile.m1; ++i) {
          scores.compute(c, s, band, h, h, i, &tile.q[at((i - tile.m0) * c.a.dim)], stage->k.data(), stage->tile,
                         masked);
          tile.state.template step<P>(i - tile.m0, scores, stage->v.data(), c.in);
        }
      }
      pipeline.release();
    }
  }

  static void epilogue(const Call& c, const Sequence& s, Int h, QueryTile& tile) {
    const Int width = c.a.value_dim, rows = tile.m1 - tile.m0;
    Floats staging(at(rows * width));
    for (Int r = 0; r < rows; ++r) {
      if (c.sink) tile.state.add_sink(r, c.sink_of(h));
      const float sum = tile.state.l[at(r)];
      for (Int d = 0; d < width; ++d) staging[at(r * width + d)] = sum == 0 ? 0.0f : tile.state.output(r)[d] / sum;
      if (c.log_sum_exp)
        c.log_sum_exp.store(c.log_sum_exp.offset(s.place, h, s.first_query + tile.m0 + r), tile.state.log_sum_exp(r));
    }
    for (Int r = 0; c.out && r < rows; ++r)
      for (Int d = 0; d < width; ++d)
        c.out.store(c.out.offset(s.place, h, s.first_query + tile.m0 + r, d), staging[at(r * width + d)]);
  }
};

}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
