// Three ways to go from scores to answers. `Operands` knows the codes of one head:
//
//     void open(const Call&, int64_t b, int64_t h)   makes (or keeps) the codes of this head
//     float score(int64_t i, int64_t j) const        of query i and key j, scale included, natural
//     const float* value(int64_t j) const            row j of V, or of its codes
//     float value_factor(int64_t c) const            what O of channel c is multiplied by at the end
//     float lse_share(int64_t i) const               what scores lack: log_sum_exp gets it back
//
// A `Weight` says what becomes of P before it meets V.
#pragma once

#include "coding.h"

namespace softmax {

inline constexpr float kLog2E = 1.44269504088896341f;
inline constexpr float kLn2 = 0.693147180559945309f;

struct WeightF32 {
  static constexpr float offset = 0;  // the largest weight is 2^offset
  static constexpr bool sums_cast = false;
  static float cast(const Call&, float p) { return p; }
  static float exp2(float x) { return std::exp2(x); }
};

struct WeightF16 : WeightF32 {
  static float cast(const Call&, float p) { return narrow::to_f16(p); }
};

struct WeightF16Summed : WeightF16 {
  static constexpr bool sums_cast = true;
};

struct WeightInput : WeightF32 {
  static float cast(const Call& call, float p) { return call.as_input(p); }
};

struct WeightE4m3 : WeightF32 {
  static constexpr float offset = 8;
  static float cast(const Call&, float p) { return narrow::to_e4m3(p); }
};

/// What most operands share: f32 V, no factor, no mean.
struct PlainValues {
  Mat v;
  const float* value(int64_t j) const { return v.row(j); }
  float value_factor(int64_t) const { return 1; }
  float lse_share(int64_t) const { return 0; }
};

template <class Operands, class Row>
void for_rows(const Call& call, Row row) {
  Operands x;
  for (int64_t b = 0; b < call.B; ++b)
    for (int64_t h = 0; h < call.H; ++h) {
      x.open(call, b, h);
      for (int64_t i = 0; i < call.M; ++i) {
        const Span span = call.span(b, i);
        if (span.from == span.to)
          call.put_empty(b, h, i);
        else
          row(x, b, h, i, span);
      }
    }
}

/// All scores of a row first, then their maximum, then the sums. Natural exponentials, f32.
template <class Operands, class Weight = WeightF32>
void two_passes(const Call& call) {
  std::vector<float> s(static_cast<size_t>(call.N)), o(static_cast<size_t>(call.E));
  for_rows<Operands>(call, [&](const Operands& x, int64_t b, int64_t h, int64_t i, Span span) {
    float m = -kInf, l = 0;
    for (int64_t j = span.from; j < span.to; ++j) {
      s[static_cast<size_t>(j)] = x.score(i, j);
      m = std::max(m, s[static_cast<size_t>(j)]);
    }
    std::fill(o.begin(), o.end(), 0.0f);
    for (int64_t j = span.from; j < span.to; ++j) {
      const float p = std::exp(s[static_cast<size_t>(j)] - m);
      const float cast = Weight::cast(call, p);
      l += Weight::sums_cast ? cast : p;
      const float* v = x.value(j);
      for (int64_t c = 0; c < call.E; ++c) o[static_cast<size_t>(c)] += cast * v[c];
    }
    for (int64_t c = 0; c < call.E; ++c) call.put_out(b, h, i, c, o[static_cast<size_t>(c)] / l * x.value_factor(c));
    call.put_lse(b, h, i, m + std::log(l) + x.lse_share(i));
    call.put_max(b, h, i, m);
  });
}

/// A running maximum over tiles of keys, to base 2: what is subtracted is `offset` below it.
template <class Weight>
struct Running {
  float m = -kInf, l = 0;
  std::vector<float> o;
  explicit Running(int64_t e) : o(static_cast<size_t>(e), 0.0f) {}

  template <class Operands>
  void tile(const Call& call, const Operands& x, int64_t i, int64_t from, int64_t to) {
    float t[256];
    float most = m;
    for (int64_t j = from; j < to; ++j) {
      t[j - from] = x.score(i, j) * kLog2E;
      most = std::max(most, t[j - from]);
    }
    if (most != m) {
      const float shrink = std::exp2(m - most);
      l *= shrink;
      for (float& y : o) y *= shrink;
      m = most;
    }
    for (int64_t j = from; j < to; ++j) {
      const float p = Weight::exp2(t[j - from] - (m - Weight::offset));
      const float cast = Weight::cast(call, p);
      l += Weight::sums_cast ? cast : p;
      const float* v = x.value(j);
      for (size_t c = 0; c < o.size(); ++c) o[c] += cast * v[c];
    }
  }

  template <class Operands>
  void put(const Call& call, const Operands& x, int64_t b, int64_t h, int64_t i) const {
    for (int64_t c = 0; c < call.E; ++c) call.put_out(b, h, i, c, o[static_cast<size_t>(c)] / l * x.value_factor(c));
    call.put_lse(b, h, i, (std::log2(l) + (m - Weight::offset)) * kLn2 + x.lse_share(i));
    call.put_max(b, h, i, m * kLn2);
  }
};

/// Tiles of `kTile` keys, from the first to the last.
template <class Operands, class Weight, int kTile = 64>
void tiles(const Call& call) {
  for_rows<Operands>(call, [&](const Operands& x, int64_t b, int64_t h, int64_t i, Span span) {
    Running<Weight> run(call.E);
    for (int64_t t = span.from / kTile * kTile; t < span.to; t += kTile)
      run.tile(call, x, i, std::max(t, span.from), std::min(t + kTile, span.to));
    run.put(call, x, b, h, i);
  });
}

}  // namespace softmax
