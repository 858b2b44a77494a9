// SPDX-License-Identifier: Apache-2.0
// What a call asks for, and the rules that all hosts share. A kernel with a fault hides a function of `Rules`, or of
// the host's policy that derives from it.
#pragma once
#include "backends/cpu/parts/philox.hpp"
#include "mutants/hosts/third_batch/tensors.hpp"

namespace attestone::inline mutants::third_batch {

/// One sequence: where its rows lie, how many there are, and how many of them exist at all.
struct Span {
  Index number;                  // in masks, biases and dropout
  Index slot;                    // along the batch axis of query, key, value and what is like them
  Index query_begin, key_begin;  // its first rows
  Index queries, keys;
  Index query_rows, key_rows;
  Index shift;  // position = query + shift
};

struct Problem {
  const attestone_args& a;
  View query, key, value, bias, sink, slopes, out, lse, dout, dquery, dkey, dvalue, dbias, dsink;
  Index group;
  float keep_factor;

  explicit Problem(const attestone_args& args)
      : a(args),
        query(args.query),
        key(args.key),
        value(args.value),
        bias(args.bias),
        sink(args.sink),
        slopes(args.alibi_slopes),
        out(args.out),
        lse(args.log_sum_exp),
        dout(args.dout),
        dquery(args.dquery),
        dkey(args.dkey),
        dvalue(args.dvalue),
        dbias(args.dbias),
        dsink(args.dsink),
        group(args.heads / args.kv_heads),
        keep_factor(args.dropout > 0 ? static_cast<float>(1.0 / (1.0 - args.dropout)) : 1.0f) {}

  bool ragged() const { return a.query_starts.data != nullptr; }
  bool uniform() const { return !ragged() && !a.query_lengths.data && !a.key_lengths.data; }
  static Index entry(const attestone_tensor& t, Index i) {
    return static_cast<const std::int32_t*>(t.data)[i * t.strides[0]];
  }
  Span span(Index b) const {
    Span s{b, b, 0, 0, a.queries, a.keys, a.queries, a.keys, 0};
    if (ragged()) {
      s.slot = 0;
      s.query_begin = entry(a.query_starts, b);
      s.key_begin = entry(a.key_starts, b);
      s.queries = s.query_rows = entry(a.query_starts, b + 1) - s.query_begin;
      s.keys = s.key_rows = entry(a.key_starts, b + 1) - s.key_begin;
    } else {
      if (a.query_lengths.data) s.queries = entry(a.query_lengths, b);
      if (a.key_lengths.data) s.keys = entry(a.key_lengths, b);
    }
    s.shift = s.keys - s.queries;
    return s;
  }
};

/// The random word of a pair.
inline std::uint32_t random_word(const Span& s, Index h, Index i, Index j, std::uint64_t seed) {
  return first_philox_word(seed, {static_cast<std::uint32_t>(s.number), static_cast<std::uint32_t>(h),
                                  static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
}

struct Rules {
  static Span span(const Problem& p, Index b) { return p.span(b); }
  static float scale(const Problem& p) { return static_cast<float>(p.a.scale); }
  static float tanh(float x) { return std::tanh(x); }
  static float sink(const Problem& p, Index h) { return p.sink.get(h * p.sink.stride[0]); }
  static Index left(const Problem& p) { return p.a.window_left; }
  static Index right(const Problem& p) {
    return p.a.causal == 0 ? p.a.window_right : p.a.window_right < 0 ? 0 : std::min<Index>(p.a.window_right, 0);
  }
  static bool mask_byte(const Problem& p, const Span& s, Index h, Index i, Index j) {
    const Index* stride = p.a.mask.strides;
    return static_cast<const std::uint8_t*>(
               p.a.mask.data)[s.number * stride[0] + h * stride[1] + i * stride[2] + j * stride[3]] != 0;
  }
  static float bias(const Problem& p, const Span& s, Index h, Index i, Index j) {
    return p.bias.get(p.bias.at(s.number, h, i, j));
  }
  static float alibi(const Problem& p, const Span& s, Index h, Index i, Index j) {
    const Index distance = i + s.shift - j;
    return -p.slopes.get(h * p.slopes.stride[0]) * static_cast<float>(distance < 0 ? -distance : distance);
  }
  static bool kept(const Problem& p, const Span& s, Index h, Index i, Index j) {
    const auto threshold = static_cast<std::uint32_t>(std::floor(p.a.dropout * 4294967296.0));
    return random_word(s, h, i, j, p.a.dropout_seed) >= threshold;
  }
};

template <class R>
bool in_band(const Problem& p, const Span& s, Index i, Index j) {
  if (p.a.mask_form != ATTESTONE_MASK_BAND) return true;
  const Index position = i + s.shift, left = R::left(p), right = R::right(p);
  const bool bounded_right = p.a.causal != 0 || right >= 0;
  return (left < 0 || j >= position - left) && (!bounded_right || j <= position + right);
}
/// Both i and j lie within the sequence.
template <class R>
bool visible(const Problem& p, const Span& s, Index h, Index i, Index j) {
  if (p.a.mask_form == ATTESTONE_MASK_BYTES ? !R::mask_byte(p, s, h, i, j) : !in_band<R>(p, s, i, j)) return false;
  return !p.bias || R::bias(p, s, h, i, j) != -kInf;
}
/// The score of a visible pair, and the derivative of its softcap.
template <class R>
float score(const Problem& p, const Span& s, Index h, Index i, Index j, float scaled, float* slope = nullptr) {
  if (p.a.softcap > 0) {
    const auto cap = static_cast<float>(p.a.softcap);
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
struct Reach {
  Index begin, end;
};
template <class R>
Reach key_reach(const Problem& p, const Span& s, Index i0, Index i1) {
  Reach reach{0, s.keys};
  if (p.a.mask_form != ATTESTONE_MASK_BAND) return reach;
  const Index left = R::left(p), right = R::right(p);
  if (left >= 0) reach.begin = std::clamp<Index>(i0 + s.shift - left, 0, s.keys);
  if (p.a.causal != 0 || right >= 0) reach.end = std::clamp<Index>(i1 - 1 + s.shift + right + 1, 0, s.keys);
  reach.end = std::max(reach.begin, reach.end);
  return reach;
}
template <class R>
Reach query_reach(const Problem& p, const Span& s, Index j0, Index j1) {
  Reach reach{0, s.queries};
  if (p.a.mask_form != ATTESTONE_MASK_BAND) return reach;
  const Index left = R::left(p), right = R::right(p);
  if (p.a.causal != 0 || right >= 0) reach.begin = std::clamp<Index>(j0 - right - s.shift, 0, s.queries);
  if (left >= 0) reach.end = std::clamp<Index>(j1 - 1 + left - s.shift + 1, 0, s.queries);
  reach.end = std::max(reach.begin, reach.end);
  return reach;
}

/// A row that sees no key.
template <class R>
void write_empty_row(const Problem& p, const Span& s, Index h, Index i) {
  const Buffer zero = floats(p.a.value_dim);
  p.out.put_row(zero.data(), s.slot, h, s.query_begin + i, p.a.value_dim);
  p.lse.put(p.lse.at(s.slot, h, s.query_begin + i), p.sink ? R::sink(p, h) : -kInf);
}

}  // namespace attestone::inline mutants::third_batch
