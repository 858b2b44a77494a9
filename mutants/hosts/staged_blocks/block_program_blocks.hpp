// SPDX-License-Identifier: Apache-2.0
// What one program of the block program's grid sees, and how it loads and stores blocks: what lies outside is 0.
#pragma once

#include "mutants/hosts/staged_blocks/block_program_policy.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {

inline constexpr float kLog2e = 1.44269504088896341f;
inline float exponential(float x) { return std::exp2(x * kLog2e); }

template <class P>
Block load(const Pointer& p, Int row0, Int rows, Int limit, Int cols) {
  Block block(rows, cols);
  for (Int r = 0; r < rows && row0 + r < limit; ++r) {
    const Int begin = p.base + P::row_offset(row0 + r, p.row_stride);
    for (Int c = 0; c < cols; ++c) block[r][c] = p.t->load(begin + c * p.col_stride);
  }
  return block;
}

inline void store(const Pointer& p, const Block& block, Int row0, Int limit) {
  for (Int r = 0; r < block.rows && row0 + r < limit; ++r)
    for (Int c = 0; c < block.cols; ++c) p.t->store(p.base + (row0 + r) * p.row_stride + c * p.col_stride, block[r][c]);
}

/// The problem as the programs of one head see it.
template <class P>
struct Program {
  const Call& c;
  Sequence s;
  Int h, kv, off, left, right;
  float cap, slope;

  Program(const Call& call, const Sequence& sequence, Int head)
      : c(call),
        s(sequence),
        h(head),
        kv(head / call.group),
        off(s.shift),
        left(call.band.left),
        right(call.band.right),
        cap(static_cast<float>(call.a.softcap)),
        slope(call.slopes ? call.slopes.get(head) : 0.0f) {}

  Int lo(Int i) const { return std::clamp<Int>(i + off - left, 0, s.keys); }
  Int hi(Int i) const { return std::clamp<Int>(i + off + right + 1, 0, s.keys); }
  bool sees(Int i, Int j) const {
    if (i >= s.queries || j >= s.keys || j < lo(i) || j >= hi(i)) return false;
    return !c.masked_by_bytes() || c.mask_byte(s.number, h, i, j);
  }
  bool keeps(Int i, Int j) const {
    return !(c.a.dropout > 0) ||
           c.word(s.number, h, i, j) >= static_cast<std::uint32_t>(std::floor(c.a.dropout * 0x1p32));
  }
  float keep_factor() const { return c.a.dropout > 0 ? c.keep_factor() : 1.0f; }

  Block queries(Int m0, Int rows) const {
    return load<P>(pointer(c.query, s.place, h, s.first_query), m0, rows, s.queries, c.a.dim);
  }
  Block gradients(Int m0, Int rows) const {
    return load<P>(pointer(c.dout, s.place, h, s.first_query), m0, rows, s.queries, c.a.value_dim);
  }
  Block keys(Int n0, Int rows) const {
    return load<P>(pointer(c.key, s.place, kv, s.first_key), n0, rows, s.keys, c.a.dim);
  }
  Block values(Int n0, Int rows) const {
    Pointer p = pointer(c.value, s.place, kv, s.first_key);
    p.row_stride = P::value_row_stride(c);
    return load<P>(p, n0, rows, s.keys, c.a.value_dim);
  }

  /// From the scaled product to the score; `t` becomes tanh(s / cap), and `hidden` true where the bias hides the pair.
  float score(float x, Int i, Int j, float& t, bool& hidden) const {
    if (cap > 0) {
      t = std::tanh(x / cap);
      x = cap * t;
    }
    if (c.slopes) x -= slope * static_cast<float>(std::abs(i + off - j));
    if (c.bias && i < s.queries && j < s.keys) {
      const float bias = c.bias_of(s.number, h, i, j);
      hidden = hidden || bias == -kInfinity;
      x += bias;
    }
    return x;
  }
};

}  // namespace attestone::inline mutants::staged_blocks::block_program
