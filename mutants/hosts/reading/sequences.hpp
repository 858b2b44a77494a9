// SPDX-License-Identifier: Apache-2.0
// Sequences of a batch, padded or ragged: how long each is, where its rows lie, and which keys the band of a mask shows
// to a query.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/plugins/protocol/kernel.h"

namespace attestone::inline mutants::reading {

using Int = std::int64_t;

/// One sequence. Query i stands at position i + shift among the keys.
struct Sequence {
  Int number = 0;                      ///< along the batch axis of mask, bias and dropout
  Int place = 0;                       ///< along the batch axis of all other tensors: 0 in a ragged batch
  Int first_query = 0, first_key = 0;  ///< its first rows; not 0 only in a ragged batch
  Int queries = 0, keys = 0;           ///< its own lengths
  Int query_rows = 0, key_rows = 0;    ///< rows that exist for it, padding included
  Int shift = 0;                       ///< keys - queries
};

inline bool is_ragged(const attestone_args& a) { return a.query_starts.data != nullptr; }

/// An element of a tensor of int32 with one axis: a start or a length.
inline Int entry(const attestone_tensor& t, Int i) {
  return static_cast<const std::int32_t*>(t.data)[i * t.strides[0]];
}

inline Sequence sequence_of(const attestone_args& a, Int b) {
  Sequence s{b, b, 0, 0, a.queries, a.keys, a.queries, a.keys, 0};
  if (is_ragged(a)) {
    s.place = 0;
    s.first_query = entry(a.query_starts, b);
    s.first_key = entry(a.key_starts, b);
    s.queries = s.query_rows = entry(a.query_starts, b + 1) - s.first_query;
    s.keys = s.key_rows = entry(a.key_starts, b + 1) - s.first_key;
  } else {
    if (a.query_lengths.data != nullptr) s.queries = entry(a.query_lengths, b);
    if (a.key_lengths.data != nullptr) s.keys = entry(a.key_lengths, b);
  }
  s.shift = s.keys - s.queries;
  return s;
}

/// Rows begin, ..., end - 1.
struct Range {
  Int begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

/// How far a query sees to both sides of its position.
struct Band {
  static constexpr Int unbounded = Int{1} << 40;

  Int left = unbounded, right = unbounded;

  bool bounded_left() const { return left < unbounded; }
  bool bounded_right() const { return right < unbounded; }
  bool shows(Int position, Int key) const { return key >= position - left && key <= position + right; }
  /// The keys, `all` of them there, that positions first, ..., last see together.
  Range keys(Int first, Int last, Int all) const {
    const Int begin = std::max<Int>(0, first - left);
    return {begin, std::max(begin, std::min(all, last + right + 1))};
  }
  Range keys(Int position, Int all) const { return keys(position, position, all); }
};

/// The band of a call: without borders unless its mask is one. A causal mask ends at the position.
inline Band band_of(const attestone_args& a) {
  Band band;
  if (a.mask_form != ATTESTONE_MASK_BAND) return band;
  if (a.window_left >= 0) band.left = a.window_left;
  if (a.window_right >= 0) band.right = a.window_right;
  if (a.causal != 0) band.right = std::min<Int>(band.right, 0);
  return band;
}

}  // namespace attestone::inline mutants::reading
