// SPDX-License-Identifier: Apache-2.0
// The blocked double kernel: scores transposed (lanes are queries), keys and values broadcast, fresh sums every tile.
#include "reference/certified/row_tile.hpp"

#include <algorithm>

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

/// out[8][16] = out * factor + sum over steps of left[step][8] x right[step][16]: a fresh sum, added once.
///
/// The accumulators have names because g++ 12 keeps arrays of vectors in memory; out of line for the same reason.
HWY_NOINLINE void add_products(const double* HWY_RESTRICT left, index left_step, const double* HWY_RESTRICT right,
                               index steps, const double* HWY_RESTRICT factor, double* HWY_RESTRICT out) {
  const Rows d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t row = 0; row < rows_per_tile; row += 2 * lanes) {
    Vector a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
    Vector b0 = a0, b1 = a0, b2 = a0, b3 = a0, b4 = a0, b5 = a0, b6 = a0, b7 = a0;
    const double* l = left;
    const double* r = right + row;
    for (index step = 0; step < steps; ++step, l += left_step, r += rows_per_tile) {
      const Vector x = hn::Load(d, r), y = hn::Load(d, r + lanes);
      const auto add = [&](double value, Vector& a, Vector& b) HWY_ATTR {
        const Vector v = hn::Set(d, value);
        a = hn::MulAdd(v, x, a);
        b = hn::MulAdd(v, y, b);
      };
      add(l[0], a0, b0), add(l[1], a1, b1), add(l[2], a2, b2), add(l[3], a3, b3);
      add(l[4], a4, b4), add(l[5], a5, b5), add(l[6], a6, b6), add(l[7], a7, b7);
    }
    double* to = out + row;
    const Vector f = hn::Load(d, factor + row), g = hn::Load(d, factor + row + lanes);
    const auto store = [&](const Vector& a, const Vector& b) HWY_ATTR {
      hn::Store(hn::MulAdd(hn::Load(d, to), f, a), d, to);
      hn::Store(hn::MulAdd(hn::Load(d, to + lanes), g, b), d, to + lanes);
      to += rows_per_tile;
    };
    store(a0, b0), store(a1, b1), store(a2, b2), store(a3, b3);
    store(a4, b4), store(a5, b5), store(a6, b6), store(a7, b7);
  }
}

/// score[64][16] = q.k of the keys of one word.
void dot_products(const TileTask& task, index word, double* score) {
  static constexpr auto ones = [] {
    struct Factors {
      alignas(64) double all[rows_per_tile];
    } factors{};
    for (double& f : factors.all) f = 1;
    return factors;
  }();
  const index dim = task.head->dim;
  std::fill_n(score, keys_per_word * rows_per_tile, 0.0);
  for (index key = 0; key < keys_per_word; key += keys_per_panel) {
    const double* panel = task.head->key.get() + (word * keys_per_word + key) * dim;
    for (index c = 0; c < dim; c += channels_per_chunk)
      add_products(panel + c * keys_per_panel, keys_per_panel, task.query + c * rows_per_tile,
                   std::min(channels_per_chunk, dim - c), ones.all, score + key * rows_per_tile);
  }
}

/// score *= scale, then the softcap.
void scale_and_cap(const TileTask& task, double* score) {
  const Rows d;
  const Vector scale = hn::Set(d, task.scale), cap = hn::Set(d, task.softcap.value_or(1));
  for (std::size_t i = 0; i < keys_per_word * rows_per_tile; i += hn::Lanes(d)) {
    Vector s = hn::Mul(hn::Load(d, score + i), scale);
    if (task.softcap) s = hn::Mul(cap, tanh(d, hn::Div(s, cap)));
    hn::Store(s, d, score + i);
  }
}

/// score + correction = score + bias, without error (TwoSum); keeps track of the largest |score + bias| of each row. A
/// bias of -inf hides its key.
void add_bias(const TileTask& task, index word, TileSums& sums) {
  const Rows d;
  double* score = sums.score.get();
  double* correction = sums.correction.get();
  task.bias(task.bias_context, word, correction);
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    Vector largest = hn::Load(d, sums.largest + row);
    for (std::size_t i = row; i < keys_per_word * rows_per_tile; i += rows_per_tile) {
      const Vector b = hn::Load(d, correction + i), hidden = hn::Set(d, masked_score);
      const Vector s =
          hn::IfThenElse(hn::Lt(b, hn::Set(d, -hwy::HighestValue<double>())), hidden, hn::Load(d, score + i));
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
void hide(const TileTask& task, index word, TileSums& sums) {
  for (index row = 0; row < rows_per_tile; ++row) {
    const std::uint64_t visible = task.visible[static_cast<std::size_t>(row)][word];
    if (visible == ~std::uint64_t{0}) continue;
    for (index key = 0; key < keys_per_word; ++key)
      if (!((visible >> key) & 1)) sums.score[static_cast<std::size_t>(key * rows_per_tile + row)] = masked_score;
  }
}

/// Turns scores into weights, updates exponents and totals; `factor` is what rescales the older sums.
void weigh(const TileTask& task, TileSums& sums, double* factor) {
  const Rows d;
  const Vector zero = hn::Zero(d);
  double* score = sums.score.get();
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    Vector top = hn::Set(d, masked_score);
    for (std::size_t i = row; i < keys_per_word * rows_per_tile; i += rows_per_tile)
      top = hn::Max(top, hn::Load(d, score + i));
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
    for (std::size_t key = 0; key < keys_per_word; key += keys_per_group) {
      const Vector first = hn::Add(weight(key), weight(key + 1)), second = hn::Add(weight(key + 2), weight(key + 3));
      const Vector group = hn::Add(first, second);
      hn::Store(group, d, sums.group_weight.get() + key / keys_per_group * rows_per_tile + row);
      total = hn::Add(total, group);
    }
    hn::Store(hn::MulAdd(hn::Load(d, sums.total + row), rescale, total), d, sums.total + row);
  }
}

/// Adds the weighted values, and their magnitudes.
void add_values(const DecodedHead& head, index word, const double* factor, TileSums& sums) {
  constexpr index groups = keys_per_word / keys_per_group;
  const double* values = head.value.get() + word * keys_per_word * head.channels;
  const double* peaks = head.group_peak.get() + word * groups * head.channels;
  for (index c = 0; c < head.channels; c += channels_per_block) {
    add_products(values + c, head.channels, sums.score.get(), keys_per_word, factor,
                 sums.out.get() + c * rows_per_tile);
    add_products(peaks + c, head.channels, sums.group_weight.get(), groups, factor,
                 sums.magnitude.get() + c * rows_per_tile);
  }
}

/// The norms and peaks that the bounds of the rows need.
void note_magnitudes(const TileTask& task, index word, double key_norm, double value_peak, TileSums& sums) {
  for (index row = 0; row < rows_per_tile; ++row) {
    if (!task.visible[static_cast<std::size_t>(row)][word]) continue;
    sums.key_norm[row] = std::max(sums.key_norm[row], key_norm);
    sums.value_peak[row] = std::max(sums.value_peak[row], value_peak);
    ++sums.tiles[row];
  }
}

void sum_rows_on_target(const TileTask& task, TileSums& sums) {
  const DecodedHead& head = *task.head;
  std::fill_n(sums.out.get(), head.channels * rows_per_tile, 0.0);
  std::fill_n(sums.magnitude.get(), head.channels * rows_per_tile, 0.0);
  std::fill_n(sums.exponent, rows_per_tile, no_exponent);
  for (double* zeroed : {sums.total, sums.largest, sums.key_norm, sums.value_peak})
    std::fill_n(zeroed, rows_per_tile, 0);
  std::fill_n(sums.tiles, rows_per_tile, 0);

  alignas(64) double factor[rows_per_tile];
  for (index word = 0; word < task.words; ++word) {
    const auto words = [&](const std::uint64_t* row) { return row[word]; };
    if (!std::any_of(task.visible.begin(), task.visible.end(), words)) continue;
    dot_products(task, word, sums.score.get());
    scale_and_cap(task, sums.score.get());
    hide(task, word, sums);
    if (task.bias) add_bias(task, word, sums);
    weigh(task, sums, factor);
    add_values(head, word, factor, sums);
    const auto of_word = [&](const std::vector<double>& all) {
      const auto first = all.begin() + word * keys_per_word;
      return *std::max_element(first, first + keys_per_word);
    };
    note_magnitudes(task, word, of_word(head.key_norm), of_word(head.value_peak), sums);
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
    : out(zeroed_doubles(channels * rows_per_tile)),
      magnitude(zeroed_doubles(channels * rows_per_tile)),
      score(zeroed_doubles(keys_per_word * rows_per_tile)),
      correction(zeroed_doubles(keys_per_word * rows_per_tile)),
      group_weight(zeroed_doubles(keys_per_word / keys_per_group * rows_per_tile)) {}

}  // namespace attestone
#endif
