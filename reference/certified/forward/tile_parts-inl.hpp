// SPDX-License-Identifier: Apache-2.0
// What the tiles of both passes share: small matrix products, biases, hidden keys, sinks; included once per Highway
// target.
#if defined(ATTESTONE_TILE_PARTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_TILE_PARTS_INL
#undef ATTESTONE_TILE_PARTS_INL
#else
#define ATTESTONE_TILE_PARTS_INL
#endif

#include <algorithm>
#include <bit>
#include <hwy/highway.h>

#include "reference/certified/forward/tile_extents.hpp"
#include "reference/certified/numbers/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

/// At most 8 lanes, so that 16 rows are a whole number of pairs of vectors on every machine.
using Rows = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Rows>;

/// What hidden keys get in place of a score, so that they weigh exactly nothing beside an exponent that tells something
/// (exponent_limit). Visible scores may be as low, or lower: whether a pair is seen is never asked of its score.
constexpr double weightless_score = -0x1p40;
/// The exponent of a row in which nothing weighs anything; beyond exponent_limit.
constexpr double no_exponent = -0x1p22;

/// Rows of a left operand that one small matrix product takes: what 32 or 16 registers hold without spilling.
constexpr index left_rows = HWY_TARGET <= HWY_AVX3 ? 8 : 4;
static_assert(keys_per_block % left_rows == 0 && channels_per_block % left_rows == 0);

/// finish(row, a, b) for every row < left_rows of the fresh sums over steps, at least one, of left[row][step] x
/// right[step]. Two vectors of `right` at a time.
///
/// The accumulators have names because g++ 12 keeps arrays of vectors in memory.
template <class Finish>
HWY_INLINE void multiply(const double* HWY_RESTRICT left, index left_row, index left_step,
                         const double* HWY_RESTRICT right, index right_step, index steps, Finish finish) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  Vector x = hn::Load(d, right), y = hn::Load(d, right + lanes);
  const auto first = [&](index row, const Vector& of)
                         HWY_ATTR { return hn::Mul(hn::Set(d, left[row * left_row]), of); };
  Vector a0 = first(0, x), a1 = first(1, x), a2 = first(2, x), a3 = first(3, x), a4 = x, a5 = x, a6 = x, a7 = x;
  Vector b0 = first(0, y), b1 = first(1, y), b2 = first(2, y), b3 = first(3, y), b4 = y, b5 = y, b6 = y, b7 = y;
  if constexpr (left_rows == 8) {
    a4 = first(4, x), a5 = first(5, x), a6 = first(6, x), a7 = first(7, x);
    b4 = first(4, y), b5 = first(5, y), b6 = first(6, y), b7 = first(7, y);
  }
  for (index step = 1; step < steps; ++step) {
    left += left_step, right += right_step;
    x = hn::Load(d, right), y = hn::Load(d, right + lanes);
    const auto add = [&](index row, Vector& a, Vector& b) HWY_ATTR {
      const Vector v = hn::Set(d, left[row * left_row]);
      a = hn::MulAdd(v, x, a);
      b = hn::MulAdd(v, y, b);
    };
    add(0, a0, b0), add(1, a1, b1), add(2, a2, b2), add(3, a3, b3);
    if constexpr (left_rows == 8) add(4, a4, b4), add(5, a5, b5), add(6, a6, b6), add(7, a7, b7);
  }
  finish(0, a0, b0), finish(1, a1, b1), finish(2, a2, b2), finish(3, a3, b3);
  if constexpr (left_rows == 8) finish(4, a4, b4), finish(5, a5, b5), finish(6, a6, b6), finish(7, a7, b7);
}

/// out[left_rows][16] = out * factor + sum over steps of left[step][left_rows] x right[step][16]: a fresh sum, added
/// once. Out of line, because g++ 12 spills the accumulators of inlined loops.
inline HWY_NOINLINE void add_products(const double* HWY_RESTRICT left, index left_step,
                                      const double* HWY_RESTRICT right, index steps, const double* HWY_RESTRICT factor,
                                      double* HWY_RESTRICT out) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < rows_per_tile; at += 2 * lanes) {
    const Vector f = hn::Load(d, factor + at), g = hn::Load(d, factor + at + lanes);
    multiply(left, 1, left_step, right + at, rows_per_tile, steps,
             [&](index row, const Vector& a, const Vector& b) HWY_ATTR {
               double* to = out + row * rows_per_tile + at;
               hn::Store(hn::MulAdd(hn::Load(d, to), f, a), d, to);
               hn::Store(hn::MulAdd(hn::Load(d, to + lanes), g, b), d, to + lanes);
             });
  }
}

/// score[left_rows][16] += key.query over some channels, a fresh sum; the first one begins, and the last is scaled.
template <bool first, bool last>
HWY_INLINE void add_dots(const double* HWY_RESTRICT key, index stride, index channels, const double* HWY_RESTRICT query,
                         double scale, double* HWY_RESTRICT score) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  const Vector factor = hn::Set(d, scale);
  for (std::size_t at = 0; at < rows_per_tile; at += 2 * lanes)
    multiply(key, stride, 1, query + at, rows_per_tile, channels,
             [&](index row, const Vector& a, const Vector& b) HWY_ATTR {
               double* to = score + row * rows_per_tile + at;
               const Vector sum = first ? a : hn::Add(hn::Load(d, to), a);
               const Vector sum_b = first ? b : hn::Add(hn::Load(d, to + lanes), b);
               hn::Store(last ? hn::Mul(sum, factor) : sum, d, to);
               hn::Store(last ? hn::Mul(sum_b, factor) : sum_b, d, to + lanes);
             });
}

/// score[left_rows][16] = scale * key.query of neighbouring keys [left_rows][stride]: fresh sums of at most
/// channels_per_chunk channels, which lie chunk_stride apart.
inline HWY_NOINLINE void dot_products(const double* HWY_RESTRICT key, index stride, index chunk_stride, index dim,
                                      const double* HWY_RESTRICT query, double scale, double* HWY_RESTRICT score) {
  constexpr index chunk = channels_per_chunk;
  if (dim <= chunk) return add_dots<true, true>(key, stride, dim, query, scale, score);
  add_dots<true, false>(key, stride, chunk, query, scale, score);
  index c = chunk;
  key += chunk_stride;
  for (; c + chunk < dim; c += chunk, key += chunk_stride)
    add_dots<false, false>(key, stride, chunk, query + c * rows_per_tile, scale, score);
  add_dots<false, true>(key, stride, dim - c, query + c * rows_per_tile, scale, score);
}

/// score + correction = score + bias, without error (TwoSum), where `correction` held the biases. A sum that overflows
/// leaves an infinite score and any correction.
inline void add_biases(index keys, double* score, double* correction) {
  const Rows d;
  const auto end = static_cast<std::size_t>(keys * rows_per_tile);
  for (std::size_t i = 0; i < end; i += hn::Lanes(d)) {
    const Vector b = hn::Load(d, correction + i), s = hn::Load(d, score + i);
    const Vector sum = hn::Add(s, b), back = hn::Sub(sum, s);
    const Vector rest = hn::Add(hn::Sub(s, hn::Sub(sum, back)), hn::Sub(b, back));
    hn::Store(sum, d, score + i);
    hn::Store(rest, d, correction + i);
  }
}

/// The largest of [end / 16][16] scores for some rows; in four chains, as each step waits for the last.
inline Vector largest_scores(const double* score, std::size_t end) {
  const Rows d;
  constexpr auto next = static_cast<std::size_t>(rows_per_tile);
  Vector a = hn::Set(d, weightless_score), b = a, c = a, e = a;
  for (std::size_t i = 0; i < end; i += 4 * next) {
    a = hn::Max(a, hn::Load(d, score + i)), b = hn::Max(b, hn::Load(d, score + i + next));
    c = hn::Max(c, hn::Load(d, score + i + 2 * next)), e = hn::Max(e, hn::Load(d, score + i + 3 * next));
  }
  return hn::Max(hn::Max(a, b), hn::Max(c, e));
}

/// Sets `of`, [keys][16], where the rows do not see one of `keys` keys; each row sees those in its word.
inline void set_hidden(const std::uint64_t* visible_of_rows, index keys, double number, double* of) {
  const std::uint64_t all = ~std::uint64_t{0} >> (keys_per_word - keys);
  for (index row = 0; row < rows_per_tile; ++row) {
    std::uint64_t hidden = ~visible_of_rows[row] & all;
    for (; hidden; hidden &= hidden - 1)
      of[static_cast<std::size_t>(std::countr_zero(hidden) * rows_per_tile + row)] = number;
  }
}

/// The exponents and totals of sixteen rows before the first key: those of the sinks, finite or -infinity; null: none.
inline void begin_with_sinks(const double* sinks, double* exponents, double* totals) {
  const Rows d;
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    const Vector sink = sinks ? hn::Load(d, sinks + row) : hn::Set(d, weightless_score);
    const auto present = hn::Gt(sink, hn::Set(d, weightless_score));  // else it weighs nothing, if there is one
    const Vector s = hn::IfThenElseZero(present, sink), exponent = nearest_power(d, s);
    const Vector weight = exp_shifted(d, s, exponent);
    hn::Store(hn::IfThenElse(present, exponent, hn::Set(d, no_exponent)), d, exponents + row);
    hn::Store(hn::IfThenElseZero(present, weight), d, totals + row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#endif
