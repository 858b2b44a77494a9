// SPDX-License-Identifier: Apache-2.0
// What a call means to the block program and the producer-consumer host: sequences, the band of a mask, dropout's
// words.
#pragma once

#include "mutants/hosts/fifth_batch/block_tensors.hpp"

namespace attestone::inline mutants::fifth_batch::blocks {

/// One sequence: how many rows it has, and where they lie; in a ragged batch all lie behind each other in place 0.
struct Sequence {
  Int b = 0;                   ///< its number
  Int place = 0;               ///< along the batch axis of query, key and value
  Int q0 = 0, k0 = 0;          ///< first row of queries and of keys
  Int qn = 0, kn = 0;          ///< rows that it really has
  Int q_rows = 0, k_rows = 0;  ///< rows that must be written, those of the padding included
  Int offset() const { return kn - qn; }
};

/// The first word of Philox4x32-10.
inline std::uint32_t philox_word(std::uint64_t key, std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                 std::uint32_t c3) {
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t x = std::uint64_t{0xD2511F53u} * c0, y = std::uint64_t{0xCD9E8D57u} * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(y >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(x >> 32) ^ c3 ^ k1;
    c0 = n0;
    c1 = static_cast<std::uint32_t>(y);
    c2 = n2;
    c3 = static_cast<std::uint32_t>(x);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c0;
}

struct Call {
  /// Where a band has no border.
  static constexpr Int unbounded = Int{1} << 40;

  const attestone_args& a;
  View q, k, v, mask, bias, sink, slopes, out, lse, dout, dq, dk, dv, dbias, dsink;
  bool ragged;
  Int group;
  Format in;

  explicit Call(const attestone_args& args)
      : a(args),
        q(args.query),
        k(args.key),
        v(args.value),
        mask(args.mask),
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
        ragged(args.query_starts.data != nullptr),
        group(args.heads / args.kv_heads),
        in(format_of(args.query)) {}

  Sequence sequence(Int b) const {
    const auto word = [](const attestone_tensor& t, Int n) {
      return Int{static_cast<const std::int32_t*>(t.data)[n * t.strides[0]]};
    };
    Sequence s;
    s.b = b;
    if (ragged) {
      s.q0 = word(a.query_starts, b);
      s.k0 = word(a.key_starts, b);
      s.qn = s.q_rows = word(a.query_starts, b + 1) - s.q0;
      s.kn = s.k_rows = word(a.key_starts, b + 1) - s.k0;
      return s;
    }
    s.place = b;
    s.q_rows = a.queries;
    s.k_rows = a.keys;
    s.qn = a.query_lengths.data ? word(a.query_lengths, b) : a.queries;
    s.kn = a.key_lengths.data ? word(a.key_lengths, b) : a.keys;
    return s;
  }

  bool by_bytes() const { return a.mask_form == ATTESTONE_MASK_BYTES; }
  /// The band, as distances from query + keys - queries.
  Int right() const {
    if (a.mask_form != ATTESTONE_MASK_BAND) return unbounded;
    const Int right = a.window_right >= 0 ? Int{a.window_right} : unbounded;
    return a.causal != 0 ? std::min<Int>(right, 0) : right;
  }
  Int left() const { return a.mask_form == ATTESTONE_MASK_BAND && a.window_left >= 0 ? Int{a.window_left} : unbounded; }

  /// Bias and mask have an axis for sequences, or rows that are counted over all of them.
  static Int pair_offset(const View& t, const Sequence& s, Int h, Int i, Int j, Int queries) {
    const bool counted = t.shape[2] > queries;
    const Int row = t.shape[2] == 1 ? 0 : counted ? s.q0 + i : i;
    return t.offset(t.shape[0] == 1 ? 0 : s.b, t.shape[1] == 1 ? 0 : h, row, t.shape[3] == 1 ? 0 : j);
  }
  float bias_of(const Sequence& s, Int h, Int i, Int j) const {
    return bias.get(pair_offset(bias, s, h, i, j, a.queries));
  }
  bool byte_of(const Sequence& s, Int h, Int i, Int j) const {
    return static_cast<const std::uint8_t*>(mask.data)[pair_offset(mask, s, h, i, j, a.queries)] != 0;
  }
  float sink_of(Int h) const { return sink ? sink.get(h * sink.stride[0]) : -kInfinity; }
  float slope_of(Int h) const { return slopes.get(h * slopes.stride[0]); }
  float lse_of(const Sequence& s, Int h, Int i) const { return lse.get(lse.offset(s.place, h, s.q0 + i)); }
  std::uint32_t word(Int b, Int h, Int i, Int j) const {
    return philox_word(a.dropout_seed, static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(h),
                       static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
  }
  /// What a weight is multiplied by that dropout keeps.
  float keep_scale() const { return static_cast<float>(1 / (1 - a.dropout)); }
};

}  // namespace attestone::inline mutants::fifth_batch::blocks
