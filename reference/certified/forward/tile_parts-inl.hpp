// SPDX-License-Identifier: Apache-2.0
// Parts besides products that tiles of both passes share: biases, hidden keys, sinks; included once per Highway target.
#if defined(ATTESTONE_TILE_PARTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_TILE_PARTS_INL
#undef ATTESTONE_TILE_PARTS_INL
#else
#define ATTESTONE_TILE_PARTS_INL
#endif

#include <algorithm>
#include <bit>
#include <hwy/highway.h>

#include "reference/certified/forward/products-inl.hpp"
#include "reference/certified/numbers/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

/// The score of hidden keys, so low that they weigh exactly nothing beside an exponent that tells something
/// (exponent_limit). Visible scores may be as low, or lower: whether a pair is seen is never asked of its score.
constexpr double weightless_score = -0x1p40;
/// The exponent of a row in which nothing weighs anything; beyond exponent_limit.
constexpr double no_exponent = -0x1p22;

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

/// Four neighbouring keys' scores of some rows, [4][16], become weights, which p has as well; corrections are of the
/// scores.
template <bool corrected>
HWY_INLINE void weigh_keys(double* score, const double* correction, Vector shift, Vector (&p)[keys_per_group]) {
  const Rows d;
  Vector s[keys_per_group];
  unrolled<keys_per_group>([&]<int i>() ATTESTONE_IN_KERNEL { s[i] = hn::Load(d, score + i * rows_per_tile); });
  exps_of_corrected<keys_per_group>(
      d, s,
      [&](int i, Vector r) ATTESTONE_IN_KERNEL {
        if constexpr (corrected) return hn::Add(r, hn::Load(d, correction + i * rows_per_tile));
        return r;
      },
      shift, p);
  unrolled<keys_per_group>([&]<int i>() ATTESTONE_IN_KERNEL { hn::Store(p[i], d, score + i * rows_per_tile); });
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
