// SPDX-License-Identifier: Apache-2.0
// What a call hands over, seen in a way that all hosts share: tensors by strides in f32, sequences, visibility.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "backends/plugins/protocol/kernel.h"
#include "mutants/hosts/half_floats.hpp"

namespace attestone::inline mutants::first_batch {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

enum class Format { f32, f16, bf16, unknown };

inline Format format_of(const attestone_tensor& t) {
  if (t.dtype.lanes != 1) return Format::unknown;
  if (t.dtype.code == ATTESTONE_FLOAT && t.dtype.bits == 32) return Format::f32;
  if (t.dtype.code == ATTESTONE_FLOAT && t.dtype.bits == 16) return Format::f16;
  if (t.dtype.code == ATTESTONE_BFLOAT && t.dtype.bits == 16) return Format::bf16;
  return Format::unknown;
}

inline float rounded(float x, Format f) {
  return f == Format::f16 ? f16_rounded(x) : f == Format::bf16 ? bf16_rounded(x) : x;
}

/// A tensor of up to four axes. In a ragged batch its rows are counted over all sequences.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const attestone_tensor& t, const int32_t* starts = nullptr) : data_(t.data), format_(format_of(t)) {
    for (int axis = 0; data_ && axis < t.ndim; ++axis) stride_[axis] = t.strides[axis], extent_[axis] = t.shape[axis];
    if (data_ && t.ndim >= 3 && t.shape[0] == 1) starts_ = starts;
  }
  bool present() const { return data_ != nullptr; }
  Format format() const { return format_; }
  int64_t stride(int axis) const { return stride_[axis]; }
  int64_t extent(int axis) const { return extent_[axis]; }
  bool ragged() const { return starts_ != nullptr; }
  int64_t offset(int64_t b, int64_t h, int64_t r, int64_t c) const {
    if (starts_) return h * stride_[1] + (starts_[b] + r) * stride_[2] + c * stride_[3];
    return b * stride_[0] + h * stride_[1] + r * stride_[2] + c * stride_[3];
  }
  float get(int64_t b, int64_t h = 0, int64_t r = 0, int64_t c = 0) const { return load(offset(b, h, r, c)); }
  void set(float x, int64_t b, int64_t h = 0, int64_t r = 0, int64_t c = 0) const { store(x, offset(b, h, r, c)); }
  float load(int64_t at) const {
    if (format_ == Format::f32) return static_cast<const float*>(data_)[at];
    const uint16_t bits = static_cast<const uint16_t*>(data_)[at];
    return format_ == Format::f16 ? f16_value(bits) : bf16_value(bits);
  }
  void store(float x, int64_t at) const {
    if (format_ == Format::f32)
      static_cast<float*>(data_)[at] = x;
    else
      static_cast<uint16_t*>(data_)[at] = format_ == Format::f16 ? f16_bits(x) : bf16_bits(x);
  }

 private:
  void* data_ = nullptr;
  Format format_ = Format::unknown;
  const int32_t* starts_ = nullptr;
  int64_t stride_[4] = {0, 0, 0, 0}, extent_[4] = {1, 1, 1, 1};
};

/// One head of one sequence. Query i stands at position i + shift of the keys.
struct Unit {
  int64_t b, h, kv_head, queries, keys, shift;
};

struct KeyRange {
  int64_t first, last;  // first <= key < last
};

struct Call {
  explicit Call(const attestone_args& args)
      : a(args),
        query_starts(static_cast<const int32_t*>(args.query_starts.data)),
        key_starts(static_cast<const int32_t*>(args.key_starts.data)),
        query(args.query, query_starts),
        key(args.key, key_starts),
        value(args.value, key_starts),
        bias(args.bias),
        sinks(args.sink),
        slopes(args.alibi_slopes),
        out(args.out, query_starts),
        log_sum_exp(args.log_sum_exp, query_starts),
        input(format_of(args.query)),
        scale(static_cast<float>(args.scale)),
        softcap(static_cast<float>(args.softcap)) {}

  const attestone_args& a;
  const int32_t *query_starts, *key_starts;
  Tensor query, key, value, bias, sinks, slopes, out, log_sum_exp;
  Format input;
  float scale, softcap;

  int64_t queries_of(int64_t b) const {
    if (query_starts) return query_starts[b + 1] - query_starts[b];
    return a.query_lengths.data ? static_cast<const int32_t*>(a.query_lengths.data)[b] : a.queries;
  }
  int64_t keys_of(int64_t b) const {
    if (key_starts) return key_starts[b + 1] - key_starts[b];
    return a.key_lengths.data ? static_cast<const int32_t*>(a.key_lengths.data)[b] : a.keys;
  }
  /// How many rows of out and log_sum_exp sequence b has: those behind it exist in a padded batch, and are empty.
  int64_t rows_of(int64_t b) const { return query_starts ? queries_of(b) : a.queries; }
  int64_t units() const { return a.batch * a.heads; }
  Unit unit(int64_t b, int64_t h) const {
    const int64_t q = queries_of(b), k = keys_of(b);
    return {b, h, h / (a.heads / a.kv_heads), q, k, k - q};
  }
  bool mask_byte(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const attestone_tensor& m = a.mask;
    return static_cast<const uint8_t*>(
               m.data)[b * m.strides[0] + h * m.strides[1] + i * m.strides[2] + j * m.strides[3]] != 0;
  }
  bool visible(const Unit& u, int64_t i, int64_t j) const {
    if (i >= u.queries || j >= u.keys) return false;
    if (a.mask_form == ATTESTONE_MASK_BYTES) return mask_byte(u.b, u.h, i, j);
    if (a.mask_form == ATTESTONE_MASK_FULL) return true;
    const int64_t p = i + u.shift;
    if (a.causal && j > p) return false;
    if (a.window_left >= 0 && j < p - a.window_left) return false;
    return a.window_right < 0 || j <= p + a.window_right;
  }
  /// The keys that queries q0 ... q1 - 1 can see.
  KeyRange key_range(const Unit& u, int64_t q0, int64_t q1) const {
    KeyRange range{0, u.keys};
    if (a.mask_form != ATTESTONE_MASK_BAND) return range;
    if (a.window_left >= 0) range.first = std::max<int64_t>(0, q0 + u.shift - a.window_left);
    if (a.causal) range.last = std::min(range.last, q1 + u.shift);
    if (a.window_right >= 0) range.last = std::min(range.last, q1 + u.shift + a.window_right);
    return {range.first, std::max(range.first, range.last)};
  }
  float sink(int64_t h) const { return sinks.present() ? sinks.get(h) : -kInfinity; }
  float softcapped(float s) const { return softcap > 0 ? softcap * std::tanh(s / softcap) : s; }
  float alibi(float slope, int64_t p, int64_t j) const { return -slope * static_cast<float>(std::abs(p - j)); }

  void write_empty(int64_t b, int64_t h, int64_t i) const {
    for (int64_t c = 0; c < a.value_dim; ++c) out.set(0, b, h, i, c);
    log_sum_exp.set(sink(h), b, h, i);
  }
};

/// A forward pass and a backward pass behind the door.
struct Forward {
  virtual ~Forward() = default;
  virtual void run(const Call& call) = 0;
};
struct Backward {
  virtual ~Backward() = default;
  virtual void run(const Call& call) = 0;
};

}  // namespace attestone::inline mutants::first_batch
