// SPDX-License-Identifier: Apache-2.0
// What all hosts share: formats, elements by strides, sequences, Philox, and the features of a score.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/parts/philox.hpp"
#include "backends/plugins/protocol/kernel.h"
#include "mutants/hosts/half_floats.hpp"

namespace attestone::inline mutants::second_batch {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
using index_t = int64_t;

inline bool is_bf16(const attestone_tensor& t) { return t.dtype.code == ATTESTONE_BFLOAT; }
inline bool is_f32(const attestone_tensor& t) { return t.dtype.code == ATTESTONE_FLOAT && t.dtype.bits == 32; }

inline float load(const attestone_tensor& t, index_t offset) {
  if (is_f32(t)) return static_cast<const float*>(t.data)[offset];
  const uint16_t h = static_cast<const uint16_t*>(t.data)[offset];
  return is_bf16(t) ? bf16_value(h) : f16_value(h);
}
inline void store(const attestone_tensor& t, index_t offset, float x) {
  if (is_f32(t))
    static_cast<float*>(t.data)[offset] = x;
  else
    static_cast<uint16_t*>(t.data)[offset] = is_bf16(t) ? bf16_bits(x) : f16_bits(x);
}
/// x as the format of the tensor would hold it.
inline float rounded_like(const attestone_tensor& t, float x) {
  if (is_f32(t)) return x;
  return is_bf16(t) ? bf16_rounded(x) : f16_rounded(x);
}
inline index_t place(const attestone_tensor& t, index_t i, index_t j = 0, index_t k = 0, index_t l = 0) {
  const index_t at[] = {i, j, k, l};
  index_t offset = 0;
  for (int axis = 0; axis < t.ndim; ++axis) offset += at[axis] * t.strides[axis];
  return offset;
}
inline void load_row(float* to, const attestone_tensor& t, index_t b, index_t h, index_t r, index_t n) {
  const index_t from = place(t, b, h, r), step = t.strides[3];
  for (index_t c = 0; c < n; ++c) to[c] = load(t, from + c * step);
}
inline void store_row(const float* x, const attestone_tensor& t, index_t b, index_t h, index_t r, index_t n) {
  const index_t to = place(t, b, h, r), step = t.strides[3];
  for (index_t c = 0; c < n; ++c) store(t, to + c * step, x[c]);
}
inline std::vector<float> zeros(index_t n) { return std::vector<float>(static_cast<size_t>(n), 0.0f); }
inline float dot(const float* x, const float* y, index_t n) {
  float sum = 0;
  for (index_t c = 0; c < n; ++c) sum += x[c] * y[c];
  return sum;
}
inline void add_scaled(float* to, float factor, const float* x, index_t n) {
  for (index_t c = 0; c < n; ++c) to[c] += factor * x[c];
}

/// Where one sequence of the batch lies, and how long it is.
struct Sequence {
  index_t number;                    // b of masks, biases and dropout
  index_t batch;                     // b of query, key, value and what is like them
  index_t first_query, first_key;    // their first rows
  index_t queries, keys;             // its own lengths
  index_t query_places, key_places;  // rows that exist for it
  index_t shift;                     // p = query + shift
};

struct Call {
  const attestone_args& a;
  explicit Call(const attestone_args& args) : a(args) {}
  bool ragged() const { return a.query_starts.data != nullptr; }
  index_t group() const { return a.heads / a.kv_heads; }
  float scale() const { return float(a.scale); }
  float keep_factor() const { return a.dropout > 0 ? float(1 / (1 - a.dropout)) : 1.0f; }
  bool has_bias() const { return a.bias.data != nullptr; }
  bool has_sink() const { return a.sink.data != nullptr; }
  float sink(index_t h) const { return load(a.sink, h * a.sink.strides[0]); }

  Sequence sequence(index_t b) const {
    const auto entry = [](const attestone_tensor& t, index_t i) {
      return index_t(static_cast<const int32_t*>(t.data)[i * t.strides[0]]);
    };
    Sequence s{b, b, 0, 0, a.queries, a.keys, a.queries, a.keys, 0};
    if (ragged()) {
      s.batch = 0;
      s.first_query = entry(a.query_starts, b);
      s.first_key = entry(a.key_starts, b);
      s.queries = s.query_places = entry(a.query_starts, b + 1) - s.first_query;
      s.keys = s.key_places = entry(a.key_starts, b + 1) - s.first_key;
    } else {
      if (a.query_lengths.data != nullptr) s.queries = entry(a.query_lengths, b);
      if (a.key_lengths.data != nullptr) s.keys = entry(a.key_lengths, b);
    }
    s.shift = s.keys - s.queries;
    return s;
  }
};

/// A score on its way: before softcap's tanh it had the derivative `slope` with respect to scale q.k.
struct Logit {
  float value, slope;
};

/// What forward and backward must agree on. A faulty kernel overrides one of these, or one of its host's.
class Features {
 public:
  virtual ~Features() = default;

  virtual Sequence sequence(const Call& c, index_t b) const { return c.sequence(b); }

  virtual bool in_band(const Call& c, const Sequence& s, index_t i, index_t j) const {
    const index_t p = i + s.shift;
    if (c.a.causal != 0 && j > p) return false;
    if (c.a.window_left >= 0 && j < p - c.a.window_left) return false;
    return c.a.window_right < 0 || j <= p + c.a.window_right;
  }
  /// i and j lie within the sequence.
  virtual bool visible(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const {
    if (c.a.mask_form == ATTESTONE_MASK_BYTES) {
      if (static_cast<const uint8_t*>(c.a.mask.data)[place(c.a.mask, s.number, h, i, j)] == 0) return false;
    } else if (c.a.mask_form == ATTESTONE_MASK_BAND && !in_band(c, s, i, j)) {
      return false;
    }
    return !c.has_bias() || bias(c, s, h, i, j) != -kInfinity;
  }
  virtual float bias(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const {
    if (c.has_bias()) return load(c.a.bias, place(c.a.bias, s.number, h, i, j));
    if (c.a.alibi_slopes.data == nullptr) return 0.0f;
    const float slope = load(c.a.alibi_slopes, h * c.a.alibi_slopes.strides[0]);
    return -slope * float(std::abs(i + s.shift - j));
  }
  virtual float softcap(const Call& c) const { return float(c.a.softcap); }
  virtual Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const {
    const float raw = qk * c.scale(), cap = softcap(c);
    if (!(cap > 0)) return {raw + bias(c, s, h, i, j), 1.0f};
    const float t = std::tanh(raw / cap);
    return {cap * t + bias(c, s, h, i, j), 1.0f - t * t};
  }
  virtual bool kept(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const {
    if (!(c.a.dropout > 0)) return true;
    const auto limit = uint32_t(std::floor(c.a.dropout * 4294967296.0));
    return first_philox_word(c.a.dropout_seed, {uint32_t(s.number), uint32_t(h), uint32_t(i), uint32_t(j)}) >= limit;
  }
};

}  // namespace attestone::inline mutants::second_batch
