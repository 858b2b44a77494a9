// SPDX-License-Identifier: Apache-2.0
// The blocked double kernel: scores transposed (lanes are queries), keys and values broadcast, fresh sums every tile.
#include "reference/certified/row_tile.hpp"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/row_tile.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

/// At most 8 lanes, so that 16 rows are a whole number of pairs of vectors on every machine.
using Rows = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Rows>;

/// Below every score and every exponent of a visible key, and so far below that such a weight is exactly 0.
constexpr double masked_score = -0x1p40;
constexpr double no_exponent = -0x1p22;

/// Rows of a left operand that one small matrix product takes: what 32 or 16 registers hold without spilling.
constexpr index left_rows = HWY_TARGET <= HWY_AVX3 ? 8 : 4;
static_assert(keys_per_block % left_rows == 0 && channels_per_block % left_rows == 0);

/// finish(row, a, b) for every row < left_rows of the fresh sums over steps of left[row][step] x right[step][16].
/// Two vectors of `right` at a time, those that begin at lane `at`.
///
/// The accumulators have names because g++ 12 keeps arrays of vectors in memory.
template <class Finish>
HWY_INLINE void multiply(const double* HWY_RESTRICT left, index left_row, index left_step,
                         const double* HWY_RESTRICT right, index steps, Finish finish) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  Vector a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  Vector b0 = a0, b1 = a0, b2 = a0, b3 = a0, b4 = a0, b5 = a0, b6 = a0, b7 = a0;
  for (index step = 0; step < steps; ++step, left += left_step, right += rows_per_tile) {
    const Vector x = hn::Load(d, right), y = hn::Load(d, right + lanes);
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
HWY_NOINLINE void add_products(const double* HWY_RESTRICT left, index left_step, const double* HWY_RESTRICT right,
                               index steps, const double* HWY_RESTRICT factor, double* HWY_RESTRICT out) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < rows_per_tile; at += 2 * lanes) {
    const Vector f = hn::Load(d, factor + at), g = hn::Load(d, factor + at + lanes);
    multiply(left, 1, left_step, right + at, steps, [&](index row, const Vector& a, const Vector& b) HWY_ATTR {
      double* to = out + row * rows_per_tile + at;
      hn::Store(hn::MulAdd(hn::Load(d, to), f, a), d, to);
      hn::Store(hn::MulAdd(hn::Load(d, to + lanes), g, b), d, to + lanes);
    });
  }
}

/// score[left_rows][16] = scale * key.query of neighbouring keys: fresh sums of at most channels_per_chunk channels.
HWY_NOINLINE void dot_products(const double* HWY_RESTRICT key, index dim, const double* HWY_RESTRICT query,
                               double scale, double* HWY_RESTRICT score) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  const Vector one = hn::Set(d, 1.0);
  for (index c = 0; c < dim; c += channels_per_chunk) {
    const index steps = std::min(channels_per_chunk, dim - c);
    const Vector factor = c + steps < dim ? one : hn::Set(d, scale);
    for (std::size_t at = 0; at < rows_per_tile; at += 2 * lanes)
      multiply(key + c, dim, 1, query + c * rows_per_tile + at, steps,
               [&](index row, const Vector& a, const Vector& b) HWY_ATTR {
                 double* to = score + row * rows_per_tile + at;
                 const Vector before = c == 0 ? hn::Zero(d) : hn::Load(d, to);
                 const Vector before_b = c == 0 ? hn::Zero(d) : hn::Load(d, to + lanes);
                 hn::Store(hn::Mul(hn::Add(before, a), factor), d, to);
                 hn::Store(hn::Mul(hn::Add(before_b, b), factor), d, to + lanes);
               });
  }
}

/// The keys of a word that the head holds, from `first` on; the score of key k is score[k - first][16].
struct Word {
  index word, first, keys;
};

void score_keys(const TileTask& task, const Word& word, double* score) {
  const Rows d;
  const DecodedHead& head = *task.head;
  for (index key = 0; key < word.keys; key += left_rows)
    dot_products(head.key.get() + (word.first + key) * head.dim, head.dim, task.query, task.scale,
                 score + key * rows_per_tile);
  if (!task.softcap) return;
  const Vector cap = hn::Set(d, *task.softcap);
  for (index i = 0; i < word.keys * rows_per_tile; i += static_cast<index>(hn::Lanes(d)))
    hn::Store(hn::Mul(cap, tanh(d, hn::Div(hn::Load(d, score + i), cap))), d, score + i);
}

/// score + correction = score + bias, without error (TwoSum); keeps track of the largest |score + bias| of each row.
void add_bias(const TileTask& task, const Word& word, TileSums& sums) {
  const Rows d;
  double* score = sums.score.get();
  double* correction = sums.correction.get();
  task.bias(task.bias_context, word.first, word.keys, correction);
  const auto end = static_cast<std::size_t>(word.keys * rows_per_tile);
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    Vector largest = hn::Load(d, sums.largest + row);
    for (std::size_t i = row; i < end; i += rows_per_tile) {
      const Vector b = hn::Load(d, correction + i), hidden = hn::Set(d, masked_score);
      const Vector s = hn::Load(d, score + i);
      const auto seen = hn::Gt(s, hidden);
      const Vector sum = hn::Add(s, b), back = hn::Sub(sum, s);
      const Vector rest = hn::Add(hn::Sub(s, hn::Sub(sum, back)), hn::Sub(b, back));
      hn::Store(hn::IfThenElse(seen, sum, hidden), d, score + i);
      hn::Store(hn::IfThenElseZero(seen, rest), d, correction + i);
      largest = hn::Max(largest, hn::IfThenElseZero(seen, hn::Abs(sum)));
    }
    hn::Store(largest, d, sums.largest + row);
  }
}

/// Gives the invisible keys of a word the score that weighs nothing.
void hide(const TileTask& task, const Word& word, TileSums& sums) {
  const std::uint64_t all = ~std::uint64_t{0} >> (keys_per_word - word.keys);
  for (index row = 0; row < rows_per_tile; ++row) {
    std::uint64_t hidden = ~task.visible[static_cast<std::size_t>(row)][word.word] & all;
    for (; hidden; hidden &= hidden - 1)
      sums.score[static_cast<std::size_t>(std::countr_zero(hidden) * rows_per_tile + row)] = masked_score;
  }
}

/// Turns scores into weights, updates exponents and totals; `factor` is what rescales the older sums.
void weigh(const TileTask& task, const Word& word, TileSums& sums, double* factor) {
  const Rows d;
  const auto keys = static_cast<std::size_t>(word.keys), end = keys * rows_per_tile;
  const Vector zero = hn::Zero(d);
  double* score = sums.score.get();
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    Vector top = hn::Set(d, masked_score);
    for (std::size_t i = row; i < end; i += rows_per_tile) top = hn::Max(top, hn::Load(d, score + i));
    const Vector before = hn::Load(d, sums.exponent + row);
    const Vector shift = hn::Max(before, nearest_power(d, top));
    const Vector rescale = scaled_by_power(d, hn::Set(d, 1.0), hn::Sub(before, shift));
    hn::Store(rescale, d, factor + row);
    hn::Store(shift, d, sums.exponent + row);

    const auto weight = [&](std::size_t key) HWY_ATTR {
      const std::size_t i = key * rows_per_tile + row;
      const Vector low = task.bias ? hn::Load(d, sums.correction.get() + i) : zero;
      const Vector p = exp_shifted(d, hn::Load(d, score + i), low, shift);
      hn::Store(p, d, score + i);
      return p;
    };
    Vector total = zero;
    for (std::size_t key = 0; key < keys; key += keys_per_group) {
      const Vector first = hn::Add(weight(key), weight(key + 1)), second = hn::Add(weight(key + 2), weight(key + 3));
      const Vector group = hn::Add(first, second);
      hn::Store(group, d, sums.group_weight.get() + key / keys_per_group * rows_per_tile + row);
      total = hn::Add(total, group);
    }
    hn::Store(hn::MulAdd(hn::Load(d, sums.total + row), rescale, total), d, sums.total + row);
  }
}

/// The exponents and totals before the first key: those of the sinks.
void begin_with_sinks(const TileTask& task, TileSums& sums) {
  const Rows d;
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    const Vector sink = task.sink ? hn::Load(d, task.sink + row) : hn::Set(d, masked_score);
    const auto present = hn::Gt(sink, hn::Set(d, masked_score));
    const Vector s = hn::IfThenElseZero(present, sink), exponent = nearest_power(d, s);
    const Vector weight = exp_shifted(d, s, hn::Zero(d), exponent);
    hn::Store(hn::IfThenElse(present, exponent, hn::Set(d, no_exponent)), d, sums.exponent + row);
    hn::Store(hn::IfThenElseZero(present, weight), d, sums.total + row);
  }
}

/// Takes away the weights of dropped pairs.
void drop(const TileTask& task, const Word& word, TileSums& sums) {
  const Rows d;
  double* weight = sums.score.get();
  for (std::size_t row = 0; row < rows_per_tile; ++row) {
    std::uint64_t dropped = task.visible[row][word.word] & ~task.kept[row][word.word];
    for (; dropped; dropped &= dropped - 1)
      weight[static_cast<std::size_t>(std::countr_zero(dropped)) * rows_per_tile + row] = 0;
  }
  constexpr auto next = static_cast<std::size_t>(rows_per_tile);
  for (std::size_t group = 0; group < static_cast<std::size_t>(word.keys / keys_per_group); ++group)
    for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
      const double* p = weight + group * keys_per_group * next + row;
      const Vector first = hn::Add(hn::Load(d, p), hn::Load(d, p + next));
      const Vector second = hn::Add(hn::Load(d, p + 2 * next), hn::Load(d, p + 3 * next));
      hn::Store(hn::Add(first, second), d, sums.group_weight.get() + group * next + row);
    }
}

/// Adds the weighted values, and their magnitudes.
void add_values(const DecodedHead& head, const Word& word, const double* factor, TileSums& sums) {
  const double* values = head.value.get() + word.first * head.channels;
  const double* peaks = head.group_peak.get() + word.first / keys_per_group * head.channels;
  for (index c = 0; c < head.channels; c += left_rows) {
    add_products(values + c, head.channels, sums.score.get(), word.keys, factor, sums.out.get() + c * rows_per_tile);
    add_products(peaks + c, head.channels, sums.group_weight.get(), word.keys / keys_per_group, factor,
                 sums.magnitude.get() + c * rows_per_tile);
  }
}

/// The norms and peaks that the bounds of the rows need.
void note_magnitudes(const TileTask& task, index word, TileSums& sums) {
  const DecodedHead::WordFacts& facts = task.head->word_facts[static_cast<std::size_t>(word)];
  for (index row = 0; row < rows_per_tile; ++row) {
    if (!task.visible[static_cast<std::size_t>(row)][word]) continue;
    sums.key_norm[row] = std::max(sums.key_norm[row], facts.key_norm);
    sums.value_peak[row] = std::max(sums.value_peak[row], facts.value_peak);
    ++sums.tiles[row];
  }
}

void sum_rows_on_target(const TileTask& task, TileSums& sums) {
  const DecodedHead& head = *task.head;
  std::fill_n(sums.out.get(), head.channels * rows_per_tile, 0.0);
  std::fill_n(sums.magnitude.get(), head.channels * rows_per_tile, 0.0);
  begin_with_sinks(task, sums);
  for (double* zeroed : {sums.largest, sums.key_norm, sums.value_peak}) std::fill_n(zeroed, rows_per_tile, 0);
  std::fill_n(sums.tiles, rows_per_tile, 0);

  alignas(64) double factor[rows_per_tile];
  for (index w = 0; w < task.words; ++w) {
    if (!std::any_of(task.visible.begin(), task.visible.end(), [&](const std::uint64_t* row) { return row[w]; }))
      continue;
    const index first = w * keys_per_word;
    const Word word{w, first, std::min(keys_per_word, head.keys - first)};
    score_keys(task, word, sums.score.get());
    hide(task, word, sums);
    if (task.bias) add_bias(task, word, sums);
    weigh(task, word, sums, factor);
    if (task.kept.front()) drop(task, word, sums);
    add_values(head, word, factor, sums);
    note_magnitudes(task, w, sums);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(sum_rows_on_target);

void sum_rows(const TileTask& task, TileSums& sums) { HWY_DYNAMIC_DISPATCH(sum_rows_on_target)(task, sums); }

TileSums::TileSums(index channels)
    : out(uninitialised_doubles(channels * rows_per_tile)),
      magnitude(uninitialised_doubles(channels * rows_per_tile)),
      score(uninitialised_doubles(keys_per_word * rows_per_tile)),
      correction(uninitialised_doubles(keys_per_word * rows_per_tile)),
      group_weight(uninitialised_doubles(keys_per_word / keys_per_group * rows_per_tile)) {}

}  // namespace attestone
#endif
