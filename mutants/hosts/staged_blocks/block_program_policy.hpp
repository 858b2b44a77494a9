// SPDX-License-Identifier: Apache-2.0
// What a fault of the block program may change: a kernel is this policy, or one that hides some of its members.
#pragma once

#include <string_view>

#include "mutants/hosts/staged_blocks/call.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {

/// The base of a block, and the strides of its two axes.
struct Pointer {
  const Tensor* t;
  Int base, row_stride, col_stride;
};
inline Pointer pointer(const Tensor& t, Int place, Int head, Int row0) {
  return {&t, t.offset(place, head, row0), t.stride[2], t.stride[3]};
}

/// A block of values.
struct Block {
  Int rows, cols;
  Floats x;
  Block(Int row_count, Int column_count) : rows(row_count), cols(column_count), x(at(rows * cols)) {}
  float* operator[](Int r) { return x.data() + r * cols; }
  const float* operator[](Int r) const { return x.data() + r * cols; }
  void multiply(double factor) {
    for (float& y : x) y = static_cast<float>(y * factor);
  }
};

struct Policy {
  static constexpr Int kBlockM = 32, kBlockN = 16;    ///< rows and keys of a block in the forward pass and for dQ
  static constexpr Int kBlockM1 = 16, kBlockN1 = 32;  ///< for dK and dV
  static constexpr std::string_view numerics{};

  static Sequence sequence(const Call& c, Int b) { return c.sequence(b); }
  static Int row_offset(Int row, Int stride) { return row * stride; }
  static Int value_row_stride(const Call& c) { return c.value.stride[2]; }
  /// The tensor by whose strides the preprocess kernel finds dO.
  static const Tensor& dout_of_preprocess(const Call& c) { return c.dout; }
  /// True if the last block of keys needs no mask for the end of the keys.
  static bool keys_fill_blocks(const Call& /*c*/, const Sequence& s) { return s.keys % kBlockN == 0; }
  static constexpr float initial_maximum() { return -kInfinity; }
  static float scaled_product(const Call& c, const float* q, const float* k, bool /*backward*/) {
    float sum = 0.0f;
    for (Int d = 0; d < c.a.dim; ++d) sum += q[d] * k[d];
    return static_cast<float>(sum * c.a.scale);
  }
  static bool skips_block(bool /*nothing_visible*/) { return false; }

  // Backward.
  static Int dkdv_first_query(Int first_key, Int off, Int right) { return first_key - off - right; }
  static bool dbias_starts_over(const Call& /*c*/) { return false; }
  static float saved_lse(const Call& c, const Sequence& s, Int h, Int i) { return c.lse_of(s, h, i); }
  static Pointer dkey_pointer(const Call& c, const Sequence& s, Int kv) {
    return pointer(c.dkey, s.place, kv, s.first_key);
  }
  /// Adds what each query head of a group gives to a block of dK and dV.
  template <class Head>
  static void add_heads(const Call& /*c*/, Int first, Int end, const Head& add_head, Block& dk, Block& dv) {
    for (Int h = first; h < end; ++h) add_head(h, dk, dv);
  }
};

}  // namespace attestone::inline mutants::staged_blocks::block_program
