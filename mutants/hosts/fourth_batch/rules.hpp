// SPDX-License-Identifier: Apache-2.0
// What one call means: its tensors, its sequences, and the rules that every host asks. Hosts derive from `Rules`; a
// fault overrides one of the virtual functions, in the forward pass, the backward pass, or (as a template) in both.
#pragma once
#include <string_view>

#include "backends/cpu/parts/philox.hpp"
#include "mutants/hosts/fourth_batch/tensor.hpp"

namespace attestone::inline mutants::fourth_batch {

/// One sequence of the batch, and where its rows lie.
struct Sequence {
  Int index = 0;             // in mask, bias and dropout
  Int slot = 0;              // along the first axis of all other tensors
  Int query0 = 0, key0 = 0;  // its first rows there
  Int queries = 0, keys = 0;
  Int query_rows = 0, key_rows = 0;  // with those behind the sequence
  Int shift() const { return keys - queries; }
};

struct Range {
  Int begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

class Rules {
 public:
  /// What a host declares of its arithmetic; empty: the default class.
  static constexpr std::string_view numerics{};

  const attestone_args& a;
  Tensor q, k, v, bias, sink, slopes, out, lse, dout, dq, dk, dv, dbias, dsink;
  Int group, dim, value_dim;

  explicit Rules(const attestone_args& args)
      : a(args),
        q(args.query),
        k(args.key),
        v(args.value),
        bias(args.bias),
        sink(args.sink),
        slopes(args.alibi_slopes),
        out(args.out),
        lse(args.log_sum_exp),
        dout(args.dout),
        dq(args.dquery),
        dk(args.dkey),
        dv(args.dvalue),
        dbias(args.dbias),
        dsink(args.dsink),
        group(args.heads / args.kv_heads),
        dim(args.dim),
        value_dim(args.value_dim) {}
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  virtual ~Rules() = default;
  virtual void run() = 0;

  bool ragged() const { return a.query_starts.data != nullptr; }
  static Int word(const attestone_tensor& t, Int i) {
    return static_cast<const std::int32_t*>(t.data)[i * t.strides[0]];
  }
  Sequence sequence(Int b) const {
    Sequence s{b, b, 0, 0, a.queries, a.keys, a.queries, a.keys};
    if (ragged()) {
      s.slot = 0;
      s.query0 = word(a.query_starts, b);
      s.key0 = word(a.key_starts, b);
      s.queries = s.query_rows = word(a.query_starts, b + 1) - s.query0;
      s.keys = s.key_rows = word(a.key_starts, b + 1) - s.key0;
      return s;
    }
    if (a.query_lengths.data) s.queries = word(a.query_lengths, b);
    if (a.key_lengths.data) s.keys = word(a.key_lengths, b);
    return s;
  }

  virtual float scale() const { return static_cast<float>(a.scale); }
  float sink_of(Int h) const { return sink.load(h * sink.stride[0]); }
  virtual float slope_of(Int h) const { return slopes.load(h * slopes.stride[0]); }
  static Int alibi_distance(const Sequence& s, Int i, Int j) { return std::abs(i + s.shift() - j); }
  virtual float bias_of(const Sequence& s, Int h, Int i, Int j) const {
    return bias.load(bias.offset(s.index, h, i, j));
  }
  virtual bool mask_byte(const Sequence& s, Int h, Int i, Int j) const {
    const Int* st = a.mask.strides;
    return static_cast<const std::uint8_t*>(a.mask.data)[s.index * st[0] + h * st[1] + i * st[2] + j * st[3]] != 0;
  }

  bool banded() const { return a.mask_form == ATTESTONE_MASK_BAND; }
  Int left() const { return a.window_left; }
  bool bounded_right() const { return a.causal != 0 || a.window_right >= 0; }
  Int right() const {
    if (a.causal == 0) return a.window_right;
    return a.window_right < 0 ? 0 : std::min<Int>(a.window_right, 0);
  }
  virtual bool in_band(const Sequence& s, Int i, Int j) const {
    if (!banded()) return true;
    const Int p = i + s.shift();
    return (left() < 0 || j >= p - left()) && (!bounded_right() || j <= p + right());
  }
  /// Whether query i sees key j, both within the sequence.
  bool sees(const Sequence& s, Int h, Int i, Int j) const {
    if (a.mask_form == ATTESTONE_MASK_BYTES ? !mask_byte(s, h, i, j) : !in_band(s, i, j)) return false;
    return !bias || bias_of(s, h, i, j) != -kInfinity;
  }
  /// The score of a visible pair from the scaled product; the derivative of its softcap if that is asked for.
  float score(const Sequence& s, Int h, Int i, Int j, float x, float* derivative = nullptr) const {
    if (derivative) *derivative = 1.0f;
    if (a.softcap > 0) {
      const auto cap = static_cast<float>(a.softcap);
      const float t = std::tanh(x / cap);
      x = cap * t;
      if (derivative) *derivative = 1.0f - t * t;
    }
    if (bias) return x + bias_of(s, h, i, j);
    if (slopes) return x - slope_of(h) * static_cast<float>(alibi_distance(s, i, j));
    return x;
  }

  /// The keys that the rows may see through the band.
  Range keys_of(const Sequence& s, Int i0, Int i1) const {
    Range r{0, s.keys};
    if (!banded()) return r;
    if (left() >= 0) r.begin = std::clamp<Int>(i0 + s.shift() - left(), 0, s.keys);
    if (bounded_right()) r.end = std::clamp<Int>(i1 + s.shift() + right(), 0, s.keys);
    return r;
  }
  /// The queries that may see the keys through the band.
  Range queries_of(const Sequence& s, Int j0, Int j1) const {
    Range r{0, s.queries};
    if (!banded()) return r;
    if (bounded_right()) r.begin = std::clamp<Int>(j0 - right() - s.shift(), 0, s.queries);
    if (left() >= 0) r.end = std::clamp<Int>(j1 + left() - s.shift(), 0, s.queries);
    return r;
  }

  virtual bool kept(const Sequence& s, Int h, Int i, Int j) const {
    if (!(a.dropout > 0)) return true;
    const auto threshold = static_cast<std::uint32_t>(std::floor(a.dropout * 4294967296.0));
    return first_philox_word(a.dropout_seed, {static_cast<std::uint32_t>(s.index), static_cast<std::uint32_t>(h),
                                              static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)}) >=
           threshold;
  }
  float keep_factor() const { return a.dropout > 0 ? static_cast<float>(1.0 / (1.0 - a.dropout)) : 1.0f; }

  int workers(Int items) const { return static_cast<int>(std::clamp<Int>(std::min<Int>(a.threads, items), 1, 16)); }
};

}  // namespace attestone::inline mutants::fourth_batch
