// SPDX-License-Identifier: Apache-2.0
// Rules that all hosts of this room share: rows of tensors, and the features of a score.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "mutants/hosts/reading/call.hpp"

namespace attestone::inline mutants::workspace_sums {

using reading::f16_rounded;
using reading::Format;
using reading::rounded;
using reading::Sequence;
using reading::Tensor;
using index_t = reading::Int;

constexpr float kInfinity = reading::infinity;

inline void load_row(float* to, const Tensor& t, index_t b, index_t h, index_t r, index_t n) {
  t.load_row(to, b, h, r, n);
}
inline void store_row(const float* x, const Tensor& t, index_t b, index_t h, index_t r, index_t n) {
  t.store_row(x, b, h, r, n);
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

struct Call : reading::Call {
  using reading::Call::Call;
  bool has_bias() const { return static_cast<bool>(bias); }
  bool has_sink() const { return static_cast<bool>(sink); }
};

/// A score on its way: before softcap's tanh it had the derivative `slope` with respect to scale q.k.
struct Logit {
  float value, slope;
};

/// Steps on which forward and backward must agree. A faulty kernel overrides one of these, or one of its host's.
class Features {
 public:
  virtual ~Features() = default;

  virtual Sequence sequence(const Call& c, index_t b) const { return c.sequence(b); }

  virtual bool in_band(const Call& c, const Sequence& s, index_t i, index_t j) const {
    return c.band.shows(i + s.shift, j);
  }
  /// i and j lie within the sequence.
  virtual bool visible(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const {
    if (c.masked_by_bytes()) {
      if (!c.mask_byte(s.number, h, i, j)) return false;
    } else if (c.a.mask_form == ATTESTONE_MASK_BAND && !in_band(c, s, i, j)) {
      return false;
    }
    return !c.has_bias() || bias(c, s, h, i, j) != -kInfinity;
  }
  virtual float bias(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const {
    if (c.has_bias()) return c.bias_of(s.number, h, i, j);
    return c.slopes ? c.alibi(s, h, i, j) : 0.0f;
  }
  virtual float softcap(const Call& c) const { return c.softcap(); }
  virtual Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const {
    const float raw = qk * c.scale(), cap = softcap(c);
    if (!(cap > 0)) return {raw + bias(c, s, h, i, j), 1.0f};
    const float t = std::tanh(raw / cap);
    return {cap * t + bias(c, s, h, i, j), 1.0f - t * t};
  }
  virtual bool kept(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const {
    return c.kept(s.number, h, i, j);
  }
};

}  // namespace attestone::inline mutants::workspace_sums
