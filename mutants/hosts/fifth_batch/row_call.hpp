// SPDX-License-Identifier: Apache-2.0
// What a call means to the row-panel and the split-KV host: its tensors, its sequences and where they lie, its masks.
#pragma once

#include "mutants/hosts/fifth_batch/row_tensors.hpp"

namespace attestone::inline mutants::fifth_batch {

/// One sequence of the batch: its own lengths, and where its rows begin.
struct RowSequence {
  Int b = 0;      ///< its number
  Int place = 0;  ///< its index on the batch axis of query, key and value
  Int queries = 0, keys = 0;
  Int query_row = 0, key_row = 0;  ///< of its first rows; not 0 only in a ragged batch
};

struct KeyRange {
  Int begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

/// The keys that a query may see by causal masks and windows.
struct KeyBand {
  bool banded = false, causal = false;
  Int left = -1, right = -1;
  /// Of a query at place p among the keys.
  KeyRange keys(Int p, Int all) const {
    KeyRange range{0, all};
    if (!banded) return range;
    if (causal) range.end = std::min(range.end, p + 1);
    if (left >= 0) range.begin = std::max(range.begin, p - left);
    if (right >= 0) range.end = std::min(range.end, p + right + 1);
    range.end = std::max(range.begin, range.end);
    return range;
  }
};

/// The first word of Philox4x32-10.
inline std::uint32_t first_word_of_philox(std::uint64_t seed, Int b, Int h, Int i, Int j) {
  std::uint32_t x[4] = {static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(h), static_cast<std::uint32_t>(i),
                        static_cast<std::uint32_t>(j)};
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * x[0], p1 = std::uint64_t{0xCD9E8D57u} * x[2];
    const std::uint32_t y[4] = {static_cast<std::uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(p1),
                                static_cast<std::uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(p0)};
    std::copy(y, y + 4, x);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return x[0];
}

/// A call with all its tensors as views.
class RowCall {
 public:
  explicit RowCall(const attestone_args& a)
      : args(a),
        input(row_format(a.input_dtype)),
        output(row_format(a.output_dtype)),
        ragged(a.query_starts.data != nullptr),
        group(a.heads / std::max<Int>(a.kv_heads, 1)),
        scale(static_cast<float>(a.scale)),
        softcap(static_cast<float>(a.softcap)),
        dropout(a.dropout > 0),
        keep_scale(dropout ? static_cast<float>(1 / (1 - a.dropout)) : 1.0f),
        query(a.query, input),
        key(a.key, input),
        value(a.value, input),
        bias(a.bias, input),
        sink(a.sink, input),
        slopes(a.alibi_slopes, RowFormat::f32),
        out(a.out, output),
        lse(a.log_sum_exp, RowFormat::f32),
        dout(a.dout, output),
        dquery(a.dquery, output),
        dkey(a.dkey, output),
        dvalue(a.dvalue, output),
        dbias(a.dbias, output),
        dsink(a.dsink, output),
        threshold_(static_cast<std::uint32_t>(std::floor(a.dropout * 4294967296.0))) {
    if (a.mask_form == ATTESTONE_MASK_BAND) band = {true, a.causal != 0, a.window_left, a.window_right};
    for (Int b = 0; b < a.batch; ++b) sequences.push_back(sequence(b));
  }
  RowCall(const RowCall&) = delete;
  RowCall& operator=(const RowCall&) = delete;

  const attestone_args& args;
  RowFormat input, output;
  bool ragged;
  Int group;
  float scale, softcap;
  bool dropout;
  float keep_scale;  ///< 1 / (1 - rate)
  KeyBand band;
  RowTensor query, key, value, bias, sink, slopes, out, lse, dout, dquery, dkey, dvalue, dbias, dsink;
  std::vector<RowSequence> sequences;

  /// What only the mask's bytes say; true where there are none.
  bool byte_visible(const RowSequence& s, Int h, Int i, Int j) const {
    const attestone_tensor& mask = args.mask;
    if (args.mask_form != ATTESTONE_MASK_BYTES || mask.data == nullptr) return true;
    const Int place[4] = {mask.shape[0] == 1 ? 0 : s.b, mask.shape[1] == 1 ? 0 : h, spread_row(mask, s, i),
                          mask.shape[3] == 1 ? 0 : j};
    Int offset = 0;
    for (int axis = 0; axis < 4; ++axis) offset += place[axis] * mask.strides[axis];
    return static_cast<const std::uint8_t*>(mask.data)[offset] != 0;
  }
  float bias_at(const RowSequence& s, Int h, Int i, Int j) const {
    return bias.get(bias.extent(0) == 1 ? 0 : s.b, bias.extent(1) == 1 ? 0 : h, spread_row(args.bias, s, i),
                    bias.extent(3) == 1 ? 0 : j);
  }
  bool kept(Int b, Int h, Int i, Int j) const {
    return !dropout || first_word_of_philox(args.dropout_seed, b, h, i, j) >= threshold_;
  }
  float sink_of(Int h) const { return sink ? sink.get(h) : minus_infinity; }
  Int lse_offset(const RowSequence& s, Int h, Int i) const {
    return ragged && lse.extent(0) == 1 ? lse.offset(0, h, s.query_row + i) : lse.offset(s.b, h, i);
  }
  /// Rows of O and log_sum_exp behind a sequence, in a batch that has them.
  void finish_padding_forward() const {
    if (ragged) return;
    for (const RowSequence& s : sequences)
      for (Int h = 0; h < args.heads; ++h)
        for (Int i = s.queries; i < args.queries; ++i) {
          if (out) clear_row(out, s, h, i, args.value_dim);
          if (lse) lse.store(lse_offset(s, h, i), sink_of(h));
        }
  }
  /// Rows of dQ, dK and dV behind a sequence, likewise.
  void finish_padding_backward() const {
    if (ragged) return;
    for (const RowSequence& s : sequences) {
      for (Int h = 0; dquery && h < args.heads; ++h)
        for (Int i = s.queries; i < args.queries; ++i) clear_row(dquery, s, h, i, args.dim);
      for (Int h = 0; h < args.kv_heads; ++h)
        for (Int j = s.keys; j < args.keys; ++j) {
          if (dkey) clear_row(dkey, s, h, j, args.dim);
          if (dvalue) clear_row(dvalue, s, h, j, args.value_dim);
        }
    }
  }

 private:
  static Int number(const attestone_tensor& tensor, Int i) {
    return static_cast<const std::int32_t*>(tensor.data)[i * tensor.strides[0]];
  }
  RowSequence sequence(Int b) const {
    RowSequence s{b, ragged ? 0 : b, args.queries, args.keys, 0, 0};
    if (ragged) {
      s.query_row = number(args.query_starts, b);
      s.queries = number(args.query_starts, b + 1) - s.query_row;
      s.key_row = number(args.key_starts, b);
      s.keys = number(args.key_starts, b + 1) - s.key_row;
      return s;
    }
    if (args.query_lengths.data) s.queries = number(args.query_lengths, b);
    if (args.key_lengths.data) s.keys = number(args.key_lengths, b);
    return s;
  }
  Int spread_row(const attestone_tensor& tensor, const RowSequence& s, Int i) const {
    if (tensor.shape[2] == 1) return 0;
    return ragged && tensor.shape[0] == 1 && tensor.shape[2] == query.extent(2) ? s.query_row + i : i;
  }
  static void clear_row(const RowTensor& tensor, const RowSequence& s, Int h, Int i, Int channels) {
    for (Int c = 0; c < channels; ++c) tensor.put(0, s.place, h, i, c);
  }

  std::uint32_t threshold_;
};

}  // namespace attestone::inline mutants::fifth_batch
