// SPDX-License-Identifier: Apache-2.0
// One call of the C door, seen from a kernel of this room: extents, which keys a query sees, elements in and
// out.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "mutants/hosts/reading/call.hpp"

namespace attestone::inline mutants::coded_operands {

using reading::bf16_rounded;
using reading::f16_rounded;
using reading::infinity;
using index = reading::Int;

inline float to_e4m3(float x) { return reading::narrow(static_cast<double>(x), reading::e4m3); }
inline float to_e2m1(float x) { return reading::narrow(static_cast<double>(x), reading::e2m1); }

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
  reading::Call whole;
  index batch, heads, kv_heads, group;  ///< group: query heads of one kv head
  index queries, keys, dim, value_dim;
  float scale;

  explicit Call(const attestone_args& args)
      : a(args),
        whole(args),
        batch(a.batch),
        heads(a.heads),
        kv_heads(a.kv_heads),
        group(whole.group),
        queries(a.queries),
        keys(a.keys),
        dim(a.dim),
        value_dim(a.value_dim),
        scale(whole.scale()) {}

  index keys_of(index b) const { return whole.sequence(b).keys; }

  /// The keys that query i of sequence b sees.
  Span span(index b, index i) const {
    const reading::Sequence s = whole.sequence(b);
    if (i >= s.queries) return {0, 0};
    const reading::Range seen = whole.band.keys(i + s.shift, s.keys);
    return {seen.begin, seen.end};
  }

  /// The rows of one head as f32.
  static Matrix read(const reading::Tensor& t, index b, index h, index rows, index cols) {
    Matrix m(rows, cols);
    for (index r = 0; r < rows; ++r) t.load_row(m.row(r), b, h, r, cols);
    return m;
  }
  Matrix query_rows(index b, index h) const { return read(whole.query, b, h, whole.sequence(b).queries, dim); }
  Matrix key_rows(index b, index kv) const { return read(whole.key, b, kv, whole.sequence(b).keys, dim); }
  Matrix value_rows(index b, index kv) const { return read(whole.value, b, kv, whole.sequence(b).keys, value_dim); }

  /// To the format of the inputs, rounded once.
  float as_input(float x) const { return reading::rounded(x, whole.query.format); }
  float as_input(double x) const { return reading::narrow(x, reading::narrow_format_of(a.query)); }

  void put_out(index b, index h, index i, index c, float x) const {
    if (whole.out) whole.out.put(x, b, h, i, c);
  }
  void put_lse(index b, index h, index i, float x) const {
    if (whole.log_sum_exp) whole.log_sum_exp.put(x, b, h, i);
  }
  void put_max(index b, index h, index i, float x) const {
    if (whole.max_logits) whole.max_logits.put(x, b, h, i);
  }

  /// The answer of a row that sees no key and no sink.
  void put_empty(index b, index h, index i) const {
    for (index c = 0; c < value_dim; ++c) put_out(b, h, i, c, 0);
    put_lse(b, h, i, -infinity);
    put_max(b, h, i, -infinity);
  }
};

}  // namespace attestone::inline mutants::coded_operands
