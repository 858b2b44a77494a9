// SPDX-License-Identifier: Apache-2.0
// What one call means: its tensors, its sequences, and the rules that every host asks. Hosts derive from `Rules`; a
// fault overrides one of the virtual functions, in the forward pass, the backward pass, or (as a template) in both.
#pragma once
#include <string_view>

#include "mutants/hosts/fragments/tensor.hpp"

namespace attestone::inline mutants::fragments {

class Rules {
 public:
  /// The arithmetic that a host declares; empty: the default class.
  static constexpr std::string_view numerics{};

  const attestone_args& a;
  const reading::Call call;
  const Tensor &q = call.query, &k = call.key, &v = call.value, &bias = call.bias, &sink = call.sink,
               &slopes = call.slopes, &out = call.out, &lse = call.log_sum_exp, &dout = call.dout, &dq = call.dquery,
               &dk = call.dkey, &dv = call.dvalue, &dbias = call.dbias, &dsink = call.dsink;
  Int group, dim, value_dim;

  explicit Rules(const attestone_args& args)
      : a(args), call(args), group(call.group), dim(args.dim), value_dim(args.value_dim) {}
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  virtual ~Rules() = default;
  virtual void run() = 0;

  bool ragged() const { return call.ragged(); }
  Sequence sequence(Int b) const { return call.sequence(b); }

  virtual float scale() const { return call.scale(); }
  float sink_of(Int h) const { return call.sink_of(h); }
  virtual float slope_of(Int h) const { return slopes.get(h); }
  static Int alibi_distance(const Sequence& s, Int i, Int j) { return std::abs(i + s.shift - j); }
  virtual float bias_of(const Sequence& s, Int h, Int i, Int j) const { return call.bias_of(s.number, h, i, j); }
  virtual bool mask_byte(const Sequence& s, Int h, Int i, Int j) const { return call.mask_byte(s.number, h, i, j); }

  bool banded() const { return a.mask_form == ATTESTONE_MASK_BAND; }
  Int left() const { return call.band.left; }
  Int right() const { return call.band.right; }
  bool bounded_left() const { return call.band.bounded_left(); }
  bool bounded_right() const { return call.band.bounded_right(); }
  virtual bool in_band(const Sequence& s, Int i, Int j) const { return call.band.shows(i + s.shift, j); }
  /// True if query i sees key j, both within the sequence.
  bool sees(const Sequence& s, Int h, Int i, Int j) const {
    if (call.masked_by_bytes() ? !mask_byte(s, h, i, j) : !in_band(s, i, j)) return false;
    return !bias || bias_of(s, h, i, j) != -kInfinity;
  }
  /// The score of a visible pair from the scaled product; the derivative of its softcap if that is asked for.
  float score(const Sequence& s, Int h, Int i, Int j, float x, float* derivative = nullptr) const {
    if (derivative) *derivative = 1.0f;
    if (a.softcap > 0) {
      const float cap = call.softcap();
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
    return {std::clamp<Int>(i0 + s.shift - left(), 0, s.keys), std::clamp<Int>(i1 + s.shift + right(), 0, s.keys)};
  }
  /// The queries that may see the keys through the band.
  Range queries_of(const Sequence& s, Int j0, Int j1) const {
    return {std::clamp<Int>(j0 - right() - s.shift, 0, s.queries),
            std::clamp<Int>(j1 + left() - s.shift, 0, s.queries)};
  }

  virtual bool kept(const Sequence& s, Int h, Int i, Int j) const { return call.kept(s.number, h, i, j); }
  float keep_factor() const { return call.keep_factor(); }

  int workers(Int items) const { return static_cast<int>(std::clamp<Int>(std::min<Int>(a.threads, items), 1, 16)); }
};

}  // namespace attestone::inline mutants::fragments
