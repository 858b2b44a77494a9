// SPDX-License-Identifier: Apache-2.0
// Scores of one query against a stage of the producer-consumer host, and which tiles of keys need a mask.
#pragma once

#include "mutants/hosts/staged_blocks/call.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {

/// The band of a sequence, in keys: query i sees those from lo(i) up to hi(i).
struct Band {
  Int off, left, right, kn;
  Int lo(Int i) const { return std::clamp<Int>(i + off - left, 0, kn); }
  Int hi(Int i) const { return std::clamp<Int>(i + off + right + 1, 0, kn); }
};
template <class P>
Band band_of(const Call& c, const Sequence& s) {
  return {s.shift, c.band.left, P::window_right(c.band.right, c), s.keys};
}

/// Which key tiles a query tile visits, and which of them without a mask.
template <class P>
struct TileRange {
  Int min, max, free_begin, free_end;
  TileRange(const Call& c, const Sequence& s, const Band& band, Int m0, Int m1)
      : min(band.lo(m0) / P::kBlockN),
        max(ceil_div(band.hi(m1 - 1), P::kBlockN)),
        free_begin(ceil_div(band.lo(m1 - 1), P::kBlockN)) {
    const bool bounded = c.band.bounded_right();
    free_end = max - std::max<Int>(0, P::right_masked_tiles(max, band.hi(m0) / P::kBlockN, s, bounded));
    if (c.masked_by_bytes()) free_begin = free_end = 0;
  }
  bool empty() const { return min >= max; }
  bool free(Int tile) const { return tile >= free_begin && tile < free_end; }
};

template <class P>
struct ScoreRow {
  Floats score = Floats(at(P::kBlockN)), tanh = score;
  Floats factor = score;  ///< of dropout
  std::vector<std::uint8_t> hidden = std::vector<std::uint8_t>(at(P::kBlockN));

  void compute(const Call& c, const Sequence& s, const Band& band, Int h, Int slope_head, Int i, const float* q,
               const float* k, Int tile, bool masked) {
    const auto cap = static_cast<float>(c.a.softcap);
    const float slope = c.slopes ? c.slopes.get(slope_head) : 0.0f;
    for (Int r = 0; r < P::kBlockN; ++r) {
      const Int j = tile * P::kBlockN + r;
      bool hides = j >= s.keys;  // a stage never holds more than the sequence
      if (masked && !hides)
        hides = j < band.lo(i) || j >= band.hi(i) || (c.masked_by_bytes() && !c.mask_byte(s.number, h, i, j));
      hidden[at(r)] = hides ? 1 : 0;
      factor[at(r)] = 1.0f;
      if (hides) continue;
      float sum = 0.0f;
      for (Int d = 0; d < c.a.dim; ++d) sum += q[d] * k[r * c.a.dim + d];
      auto x = static_cast<float>(sum * c.a.scale);
      if (cap > 0) {
        tanh[at(r)] = std::tanh(x / cap);
        x = cap * tanh[at(r)];
      }
      if (c.slopes) x -= slope * static_cast<float>(std::abs(i + band.off - j));
      if (c.bias) {
        const float bias = c.bias_of(s.number, h, i, j);
        if (bias == -kInfinity) hidden[at(r)] = 1;
        x += bias;
      }
      score[at(r)] = x;
      if (c.a.dropout > 0) factor[at(r)] = P::keeps(c.word(s.number, h, i, j), c.a.dropout) ? c.keep_factor() : 0.0f;
    }
  }
};

}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
