// SPDX-License-Identifier: Apache-2.0
// The request of a call, and the rules that all hosts share. A kernel with a fault hides a function of `Rules`, or of
// the host's policy that derives from it.
#pragma once
#include "mutants/hosts/pipelines/tensors.hpp"

namespace attestone::inline mutants::pipelines {

struct Problem : reading::Call {
  using reading::Call::Call;
};

/// The random word of a pair.
inline std::uint32_t random_word(const Sequence& s, Index h, Index i, Index j, std::uint64_t seed) {
  return reading::philox_word(seed, s.number, h, i, j);
}

struct Rules {
  static Sequence sequence(const Problem& p, Index b) { return p.sequence(b); }
  static float scale(const Problem& p) { return p.scale(); }
  static float tanh(float x) { return std::tanh(x); }
  static float sink(const Problem& p, Index h) { return p.sink_of(h); }
  static Index left(const Problem& p) { return p.band.left; }
  static Index right(const Problem& p) { return p.band.right; }
  static bool mask_byte(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    return p.mask_byte(s.number, h, i, j);
  }
  static float bias(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    return p.bias_of(s.number, h, i, j);
  }
  static float alibi(const Problem& p, const Sequence& s, Index h, Index i, Index j) { return p.alibi(s, h, i, j); }
  static bool kept(const Problem& p, const Sequence& s, Index h, Index i, Index j) { return p.kept(s.number, h, i, j); }
};

template <class R>
bool in_band(const Problem& p, const Sequence& s, Index i, Index j) {
  if (p.a.mask_form != ATTESTONE_MASK_BAND) return true;
  return reading::Band{R::left(p), R::right(p)}.shows(i + s.shift, j);
}
/// Both i and j lie within the sequence.
template <class R>
bool visible(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
  if (p.masked_by_bytes() ? !R::mask_byte(p, s, h, i, j) : !in_band<R>(p, s, i, j)) return false;
  return !p.bias || R::bias(p, s, h, i, j) != -kInf;
}
/// The score of a visible pair, and the derivative of its softcap.
template <class R>
float score(const Problem& p, const Sequence& s, Index h, Index i, Index j, float scaled, float* slope = nullptr) {
  if (p.a.softcap > 0) {
    const float cap = p.softcap();
    const float t = R::tanh(scaled / cap);
    scaled = cap * t;
    if (slope) *slope = 1.0f - t * t;
  } else if (slope) {
    *slope = 1.0f;
  }
  if (p.bias) return scaled + R::bias(p, s, h, i, j);
  return p.slopes ? scaled + R::alibi(p, s, h, i, j) : scaled;
}

/// The keys that rows [i0, i1) may see through the band: a tile range is taken from it.
template <class R>
Range key_reach(const Problem& p, const Sequence& s, Index i0, Index i1) {
  if (p.a.mask_form != ATTESTONE_MASK_BAND) return {0, s.keys};
  const Index begin = std::clamp<Index>(i0 + s.shift - R::left(p), 0, s.keys);
  return {begin, std::max(begin, std::clamp<Index>(i1 + s.shift + R::right(p), 0, s.keys))};
}
template <class R>
Range query_reach(const Problem& p, const Sequence& s, Index j0, Index j1) {
  if (p.a.mask_form != ATTESTONE_MASK_BAND) return {0, s.queries};
  const Index begin = std::clamp<Index>(j0 - R::right(p) - s.shift, 0, s.queries);
  return {begin, std::max(begin, std::clamp<Index>(j1 + R::left(p) - s.shift, 0, s.queries))};
}

/// A row that sees no key.
template <class R>
void write_empty_row(const Problem& p, const Sequence& s, Index h, Index i) {
  const Buffer zero = floats(p.a.value_dim);
  p.out.store_row(zero.data(), s.place, h, s.first_query + i, p.a.value_dim);
  p.log_sum_exp.put(p.sink ? R::sink(p, h) : -kInf, s.place, h, s.first_query + i);
}

}  // namespace attestone::inline mutants::pipelines
