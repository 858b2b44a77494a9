// SPDX-License-Identifier: Apache-2.0
// One call of the C door, seen from a kernel of the seventh batch: extents, which keys a query sees, elements in and
// out.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "backends/plugins/protocol/kernel.h"
#include "mutants/hosts/seventh_batch/narrow.hpp"
#include "reference/shape.hpp"

namespace attestone::inline mutants::seventh_batch {

/// A matrix of f32, row after row.
struct Matrix {
  index rows = 0, cols = 0;
  std::vector<float> x;

  Matrix() = default;
  Matrix(index r, index c) : rows(r), cols(c), x(static_cast<std::size_t>(r * c)) {}
  float* row(index r) { return x.data() + r * cols; }
  const float* row(index r) const { return x.data() + r * cols; }
};

/// Keys from, ..., to - 1.
struct Span {
  index from, to;
};

/// A call with what it holds; its tensors have 16 bits.
struct Call {
  const attestone_args& a;
  index batch, heads, kv_heads, group;  ///< group: query heads of one kv head
  index queries, keys, dim, value_dim;
  float scale;
  bool bf16;

  explicit Call(const attestone_args& args)
      : a(args),
        batch(a.batch),
        heads(a.heads),
        kv_heads(a.kv_heads),
        group(a.heads / a.kv_heads),
        queries(a.queries),
        keys(a.keys),
        dim(a.dim),
        value_dim(a.value_dim),
        scale(static_cast<float>(a.scale)),
        bf16(a.query.dtype.code == ATTESTONE_BFLOAT) {}

  /// How many queries and keys sequence b really has.
  index queries_of(index b) const { return length(a.query_lengths, b, queries); }
  index keys_of(index b) const { return length(a.key_lengths, b, keys); }

  /// What query i of sequence b sees.
  Span span(index b, index i) const {
    const index own_keys = keys_of(b), own_queries = queries_of(b);
    if (i >= own_queries) return {0, 0};
    Span s{0, own_keys};
    if (a.mask_form == ATTESTONE_MASK_BAND) {
      const index p = i + own_keys - own_queries;
      if (a.causal != 0) s.to = std::min(s.to, p + 1);
      if (a.window_right >= 0) s.to = std::min(s.to, p + a.window_right + 1);
      if (a.window_left >= 0) s.from = std::max(s.from, p - a.window_left);
    }
    s.to = std::max(s.to, s.from);
    return s;
  }

  /// The rows of one head as f32.
  Matrix read(const attestone_tensor& t, index b, index h, index rows, index cols) const {
    Matrix m(rows, cols);
    const auto* base = static_cast<const std::uint16_t*>(t.data) + b * t.strides[0] + h * t.strides[1];
    for (index r = 0; r < rows; ++r)
      for (index c = 0; c < cols; ++c) {
        const std::uint16_t e = base[r * t.strides[2] + c * t.strides[3]];
        m.row(r)[c] = bf16 ? bf16_value(e) : f16_value(e);
      }
    return m;
  }
  Matrix query_rows(index b, index h) const { return read(a.query, b, h, queries_of(b), dim); }
  Matrix key_rows(index b, index kv) const { return read(a.key, b, kv, keys_of(b), dim); }
  Matrix value_rows(index b, index kv) const { return read(a.value, b, kv, keys_of(b), value_dim); }

  /// To the format of the inputs.
  float as_input(float x) const { return bf16 ? bf16_rounded(x) : f16_rounded(x); }
  float as_input(double x) const {
    // The detour over f32 would round twice: where it is inexact, its last place is made odd.
    auto f = static_cast<float>(x);
    if (static_cast<double>(f) != x && std::isfinite(f) && (std::bit_cast<std::uint32_t>(f) & 1) == 0)
      f = std::nextafter(f, static_cast<double>(f) < x ? infinity : -infinity);
    return as_input(f);
  }

  void put_out(index b, index h, index i, index c, float x) const {
    const attestone_tensor& t = a.out;
    if (t.data == nullptr) return;
    static_cast<std::uint16_t*>(t.data)[b * t.strides[0] + h * t.strides[1] + i * t.strides[2] + c * t.strides[3]] =
        bf16 ? bf16_bits(x) : f16_bits(x);
  }
  void put_lse(index b, index h, index i, float x) const { put_statistic(a.log_sum_exp, b, h, i, x); }
  void put_max(index b, index h, index i, float x) const { put_statistic(a.max_logits, b, h, i, x); }

  /// The answer of a row that sees no key and no sink.
  void put_empty(index b, index h, index i) const {
    for (index c = 0; c < value_dim; ++c) put_out(b, h, i, c, 0);
    put_lse(b, h, i, -infinity);
    put_max(b, h, i, -infinity);
  }

 private:
  static index length(const attestone_tensor& t, index b, index otherwise) {
    return t.data == nullptr ? otherwise : static_cast<const std::int32_t*>(t.data)[b * t.strides[0]];
  }
  static void put_statistic(const attestone_tensor& t, index b, index h, index i, float x) {
    if (t.data != nullptr) static_cast<float*>(t.data)[b * t.strides[0] + h * t.strides[1] + i * t.strides[2]] = x;
  }
};

}  // namespace attestone::inline mutants::seventh_batch
