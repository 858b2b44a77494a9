// SPDX-License-Identifier: Apache-2.0
// Ways to go from scores to answers. `Operands` knows the codes of one head:
//
//     void open(const Call&, index b, index h)   makes (or keeps) the codes of this head
//     float score(index i, index j) const        of query i and key j, scale included, natural
//     const float* value(index j) const          row j of V, or of its codes
//     float value_factor(index c) const          what O of channel c is multiplied by at the end
//     float lse_share(index i) const             what scores lack: log_sum_exp gets it back
//
// A `Weight` says what becomes of P before it meets V.
#pragma once

#include "mutants/hosts/coded_operands/coding.hpp"

namespace attestone::inline mutants::coded_operands {

inline constexpr float log2_e = 1.44269504088896341f;
inline constexpr float ln2 = 0.693147180559945309f;

namespace softmax {

struct WeightF32 {
  static constexpr float offset = 0;  // the largest weight is 2^offset
  static constexpr bool sums_cast = false;
  static float cast(const Call&, float p) { return p; }
  static float exp2(float x) { return std::exp2(x); }
};

struct WeightF16 : WeightF32 {
  static float cast(const Call&, float p) { return f16_rounded(p); }
};

struct WeightF16Summed : WeightF16 {
  static constexpr bool sums_cast = true;
};

struct WeightInput : WeightF32 {
  static float cast(const Call& call, float p) { return call.as_input(p); }
};

struct WeightE4m3 : WeightF32 {
  static constexpr float offset = 8;
  static float cast(const Call&, float p) { return to_e4m3(p); }
};

/// The part that most operands share: f32 V, no factor, no mean.
struct PlainValues {
  Matrix v;
  const float* value(index j) const { return v.row(j); }
  float value_factor(index) const { return 1; }
  float lse_share(index) const { return 0; }
};

template <class Operands, class Row>
void for_rows(const Call& call, Row row) {
  Operands x;
  for (index b = 0; b < call.batch; ++b)
    for (index h = 0; h < call.heads; ++h) {
      x.open(call, b, h);
      for (index i = 0; i < call.queries; ++i) {
        const Span span = call.span(b, i);
        if (span.from == span.to)
          call.put_empty(b, h, i);
        else
          row(x, b, h, i, span);
      }
    }
}

/// All scores of a row first, then their maximum, then the sums. Natural exponentials, f32.
template <class Weight>
class TwoPasses {
 public:
  explicit TwoPasses(const Call& call)
      : call_(call), s_(static_cast<std::size_t>(call.keys)), o_(static_cast<std::size_t>(call.value_dim)) {}

  template <class Operands>
  void row(const Operands& x, index b, index h, index i, Span span) {
    float m = -infinity, l = 0;
    for (index j = span.from; j < span.to; ++j) {
      s_[static_cast<std::size_t>(j)] = x.score(i, j);
      m = std::max(m, s_[static_cast<std::size_t>(j)]);
    }
    std::fill(o_.begin(), o_.end(), 0.0f);
    for (index j = span.from; j < span.to; ++j) {
      const float p = std::exp(s_[static_cast<std::size_t>(j)] - m);
      const float cast = Weight::cast(call_, p);
      l += Weight::sums_cast ? cast : p;
      const float* v = x.value(j);
      for (index c = 0; c < call_.value_dim; ++c) o_[static_cast<std::size_t>(c)] += cast * v[c];
    }
    for (index c = 0; c < call_.value_dim; ++c)
      call_.put_out(b, h, i, c, o_[static_cast<std::size_t>(c)] / l * x.value_factor(c));
    call_.put_lse(b, h, i, m + std::log(l) + x.lse_share(i));
    call_.put_max(b, h, i, m);
  }

  /// Row i of a head with V and these scores; what log_sum_exp gets back stands beside them.
  template <class Score>
  void answer(index b, index h, index i, const Matrix& v, const Score& score, float share = 0) {
    struct {
      const Matrix& v;
      const Score& of_key;
      float share;
      float score(index, index j) const { return of_key(j); }
      const float* value(index j) const { return v.row(j); }
      float value_factor(index) const { return 1; }
      float lse_share(index) const { return share; }
    } const operands{v, score, share};
    const Span span = call_.span(b, i);
    if (span.from == span.to)
      call_.put_empty(b, h, i);
    else
      row(operands, b, h, i, span);
  }

 private:
  const Call& call_;
  std::vector<float> s_, o_;
};

template <class Operands, class Weight = WeightF32>
void two_passes(const Call& call) {
  TwoPasses<Weight> passes(call);
  for_rows<Operands>(call,
                     [&](const Operands& x, index b, index h, index i, Span span) { passes.row(x, b, h, i, span); });
}

/// A running maximum over tiles of keys, to base 2: what is subtracted is `offset` below it.
template <class Weight>
struct Running {
  float m = -infinity, l = 0;
  std::vector<float> o;
  explicit Running(index e) : o(static_cast<std::size_t>(e), 0.0f) {}

  template <class Operands>
  void tile(const Call& call, const Operands& x, index i, index from, index to) {
    float t[256];
    float most = m;
    for (index j = from; j < to; ++j) {
      t[j - from] = x.score(i, j) * log2_e;
      most = std::max(most, t[j - from]);
    }
    if (most != m) {
      const float shrink = std::exp2(m - most);
      l *= shrink;
      for (float& y : o) y *= shrink;
      m = most;
    }
    for (index j = from; j < to; ++j) {
      const float p = Weight::exp2(t[j - from] - (m - Weight::offset));
      const float cast = Weight::cast(call, p);
      l += Weight::sums_cast ? cast : p;
      const float* v = x.value(j);
      for (std::size_t c = 0; c < o.size(); ++c) o[c] += cast * v[c];
    }
  }

  template <class Operands>
  void put(const Call& call, const Operands& x, index b, index h, index i) const {
    for (index c = 0; c < call.value_dim; ++c)
      call.put_out(b, h, i, c, o[static_cast<std::size_t>(c)] / l * x.value_factor(c));
    call.put_lse(b, h, i, (std::log2(l) + (m - Weight::offset)) * ln2 + x.lse_share(i));
    call.put_max(b, h, i, m * ln2);
  }
};

/// Tiles of `tile_keys` keys, from the first to the last.
template <class Operands, class Weight, int tile_keys = 64>
void tiles(const Call& call) {
  for_rows<Operands>(call, [&](const Operands& x, index b, index h, index i, Span span) {
    Running<Weight> run(call.value_dim);
    for (index t = span.from / tile_keys * tile_keys; t < span.to; t += tile_keys)
      run.tile(call, x, i, std::max(t, span.from), std::min(t + tile_keys, span.to));
    run.put(call, x, b, h, i);
  });
}

}  // namespace softmax
}  // namespace attestone::inline mutants::coded_operands
