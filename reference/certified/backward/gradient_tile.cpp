// SPDX-License-Identifier: Apache-2.0
// The blocked kernel of the backward pass: lanes are queries where rows are summed up, channels where keys are.
#include "reference/certified/backward/gradient_tile.hpp"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/backward/gradient_tile.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/forward/tile_parts-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

constexpr auto lanes_per_key = static_cast<std::size_t>(rows_per_tile);
constexpr auto block_end = static_cast<std::size_t>(keys_per_word) * lanes_per_key;

/// c tanh(s / c) in place of s, and its derivative 1 - tanh^2 = 4 w / (1 + w)^2 with w = e^(-2 |s / c|), which keeps
/// its relative accuracy where tanh is near 1.
void bend(double softcap, GradientColumns& block) {
  const Rows d;
  constexpr double saturated = 1024;  // twice |s / c|: the derivative is lost
  const Vector cap = hn::Set(d, softcap), one = hn::Set(d, 1.0), zero = hn::Zero(d);
  for (std::size_t i = 0; i < block_end; i += hn::Lanes(d)) {
    const Vector z = hn::Div(hn::Load(d, block.score.get() + i), cap), magnitude = hn::Abs(z);
    const Vector twice = hn::Min(hn::Add(magnitude, magnitude), hn::Set(d, saturated));
    const Vector w = exp_shifted(d, hn::Neg(twice), zero), sum = hn::Add(one, w);
    hn::Store(hn::Mul(cap, tanh(d, z)), d, block.score.get() + i);
    hn::Store(hn::Div(hn::Mul(hn::Set(d, 4.0), w), hn::Mul(sum, sum)), d, block.slope.get() + i);
  }
}

/// seen[key][16] = 1 or 0: all pairs are taken for what most of them are, and then the others are set.
void note_seen(const std::uint64_t* visible_of_rows, double* seen) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < lanes_per_key; ++row)
    count += static_cast<std::size_t>(std::popcount(visible_of_rows[row]));
  const bool few = count < block_end / 2;
  std::fill_n(seen, block_end, few ? 0.0 : 1.0);
  std::uint64_t unchanged[rows_per_tile];
  for (std::size_t row = 0; row < lanes_per_key; ++row)
    unchanged[row] = few ? ~visible_of_rows[row] : visible_of_rows[row];
  set_hidden(unchanged, keys_per_word, few ? 1 : 0, seen);
}

/// Fills scores, corrections, slopes, and what is seen; hidden keys have a score that weighs nothing.
void score_block(const GradientTask& task, index word, GradientColumns& block) {
  const index first = word * keys_per_word;
  for (index key = 0; key < keys_per_word; key += left_rows)
    dot_products(task.key->row(first + key), task.key->stride, task.key->columns, task.query, task.scale,
                 block.score.get() + key * rows_per_tile);
  if (task.softcap) bend(*task.softcap, block);
  if (task.bias) {
    task.bias(task.bias_context, first, keys_per_word, block.correction.get());
    add_biases(keys_per_word, block.score.get(), block.correction.get());
  }
  std::uint64_t visible[rows_per_tile];
  for (std::size_t row = 0; row < lanes_per_key; ++row) visible[row] = task.visible[row][word];
  set_hidden(visible, keys_per_word, weightless_score, block.score.get());
  note_seen(visible, block.seen.get());
}

/// a = dO.v of all pairs.
void multiply_dout(const GradientTask& task, index word, GradientColumns& block) {
  const index first = word * keys_per_word;
  for (index key = 0; key < keys_per_word; key += left_rows)
    dot_products(task.value->row(first + key), task.value->stride, task.value->columns, task.dout, 1.0,
                 block.product.get() + key * rows_per_tile);
}

/// Sets `of` to 0 at dropped pairs.
void drop(const GradientTask& task, index word, double* of) {
  for (std::size_t row = 0; row < lanes_per_key; ++row) {
    std::uint64_t dropped = task.visible[row][word] & ~task.kept[row][word];
    for (; dropped; dropped &= dropped - 1)
      of[static_cast<std::size_t>(std::countr_zero(dropped)) * lanes_per_key + row] = 0;
  }
}

/// Weights p of one word, scaled by the largest exponent so far; older sums are rescaled to it.
void weigh(const GradientTask& task, GradientColumns& block, GradientSums& sums) {
  const Rows d;
  for (std::size_t row = 0; row < lanes_per_key; row += hn::Lanes(d)) {
    Vector top = hn::Set(d, weightless_score);
    for (std::size_t i = row; i < block_end; i += lanes_per_key) top = hn::Max(top, hn::Load(d, block.score.get() + i));
    const Vector before = hn::Load(d, sums.exponent.of + row), shift = hn::Max(before, nearest_power(d, top));
    const Vector rescale = scaled_by_power(d, hn::Set(d, 1.0), hn::Sub(before, shift));
    hn::Store(shift, d, sums.exponent.of + row);
    Vector total = hn::Zero(d);
    for (std::size_t i = row; i < block_end; i += lanes_per_key) {
      const Vector low = task.bias ? hn::Load(d, block.correction.get() + i) : hn::Zero(d);
      const Vector p = exp_shifted(d, hn::Load(d, block.score.get() + i), low, shift);
      hn::Store(p, d, block.weight.get() + i);
      total = hn::Add(total, p);
    }
    hn::Store(hn::MulAdd(hn::Load(d, sums.total.of + row), rescale, total), d, sums.total.of + row);
    for (TileLanes* older : {&sums.product, &sums.magnitude, &sums.norm})
      hn::Store(hn::Mul(hn::Load(d, older->of + row), rescale), d, older->of + row);
  }
}

/// Adds p z a, p z |a| and p z |v| of one word.
void add_means(const GradientTask& task, index word, const GradientColumns& block, GradientSums& sums) {
  const Rows d;
  const VectorFacts* facts = task.value->facts.data() + word * keys_per_word;
  for (std::size_t row = 0; row < lanes_per_key; row += hn::Lanes(d)) {
    Vector product = hn::Zero(d), magnitude = product, norm = product;
    for (std::size_t key = 0; key < static_cast<std::size_t>(keys_per_word); ++key) {
      const Vector p = hn::Load(d, block.weight.get() + key * lanes_per_key + row);
      const Vector any = hn::Load(d, block.product.get() + key * lanes_per_key + row);
      const Vector a = hn::IfThenElseZero(hn::Gt(p, hn::Zero(d)), any);  // invisible ones may have overflowed
      product = hn::MulAdd(p, a, product);
      magnitude = hn::MulAdd(p, hn::Abs(a), magnitude);
      norm = hn::MulAdd(p, hn::Set(d, facts[key].norm), norm);
    }
    const auto add = [&](TileLanes& sum, const Vector& of_word)
                         HWY_ATTR { hn::Store(hn::Add(hn::Load(d, sum.of + row), of_word), d, sum.of + row); };
    add(sums.product, product), add(sums.magnitude, magnitude), add(sums.norm, norm);
  }
}

bool sees_any(const GradientTask& task, index word) {
  for (const std::uint64_t* row : task.visible)
    if (row[word]) return true;
  return false;
}

void sum_tile_on_target(const GradientTask& task, GradientColumns& block, GradientSums& sums) {
  sums = {};
  begin_with_sinks(task.sink.of, sums.exponent.of, sums.total.of);
  for (index word = 0; word < task.words; ++word) {
    if (!sees_any(task, word)) continue;
    score_block(task, word, block);
    multiply_dout(task, word, block);
    weigh(task, block, sums);
    drop(task, word, block.weight.get());
    add_means(task, word, block, sums);
  }
  const Rows d;
  for (std::size_t row = 0; row < lanes_per_key; row += hn::Lanes(d)) {
    const Vector sink = hn::Max(hn::Load(d, task.sink.of + row), hn::Set(d, weightless_score));
    hn::Store(exp_shifted(d, sink, hn::Load(d, sums.exponent.of + row)), d, sums.sink.of + row);
  }
}

/// dS of one key and some rows, from the states of the rows; with and without the slope.
void differentiate_rows(const GradientTask& task, const RowStates& states, const VectorFacts* facts, std::size_t row,
                        GradientColumns& block) {
  const Rows d;
  constexpr double lost_weight = 0x1p-996;  // of a normalised weight
  const Vector zero = hn::Zero(d), few_roundings = hn::Set(d, 8 * unit_double), lost_p = hn::Set(d, lost_weight);
  const auto load = [&](const TileLanes& of) HWY_ATTR { return hn::Load(d, of.of + row); };
  const Vector exponent = load(states.exponent), inverse = load(states.inverse), delta = load(states.delta);
  const Vector by_product = hn::Add(load(states.weight_error), few_roundings), by_norm = load(states.dot_error);
  const Vector by_slope = hn::Add(by_product, load(states.slope_error)), of_p = load(states.weight_error);
  const Vector by_weight = load(states.delta_error), lost = load(states.lost);
  const auto live = hn::Gt(load(states.live), zero);
  for (std::size_t i = row; i < block_end; i += lanes_per_key) {
    const Vector s = hn::Load(d, block.score.get() + i), slope = hn::Load(d, block.slope.get() + i);
    const Vector low = task.bias ? hn::Load(d, block.correction.get() + i) : zero;
    const auto seen = hn::Gt(hn::Load(d, block.seen.get() + i), zero), used = hn::And(seen, live);
    const Vector p = hn::IfThenElseZero(seen, hn::Mul(exp_shifted(d, s, low, exponent), inverse));
    const Vector x = hn::IfThenElseZero(used, hn::Sub(hn::Load(d, block.product.get() + i), delta));
    const Vector magnitude = hn::Abs(x), of_key = hn::Mul(by_norm, hn::Set(d, facts[i / lanes_per_key].norm));
    const Vector common = hn::Add(of_key, by_weight);
    const auto bound = [&](const Vector& factor, const Vector& relative) HWY_ATTR {
      const Vector error = hn::Mul(factor, hn::Add(hn::Mul(relative, magnitude), common));
      return hn::IfThenElseZero(used, hn::Add(error, lost));
    };
    const Vector ds = hn::Mul(p, x);
    hn::Store(p, d, block.weight.get() + i);
    hn::Store(hn::IfThenElseZero(seen, hn::Add(hn::Mul(p, of_p), lost_p)), d, block.weight_bound.get() + i);
    hn::Store(ds, d, block.bias_gradient.get() + i);
    hn::Store(bound(p, by_product), d, block.bias_bound.get() + i);
    hn::Store(hn::IfThenElseZero(used, hn::Mul(ds, slope)), d, block.gradient.get() + i);
    hn::Store(bound(hn::Mul(p, slope), by_slope), d, block.gradient_bound.get() + i);
  }
}

void differentiate_on_target(const GradientTask& task, const RowStates& states, index word, GradientColumns& block) {
  const Rows d;
  if (!task.softcap) std::fill_n(block.slope.get(), block_end, 1.0);
  score_block(task, word, block);
  multiply_dout(task, word, block);
  drop(task, word, block.product.get());
  const VectorFacts* facts = task.value->facts.data() + word * keys_per_word;
  for (std::size_t row = 0; row < lanes_per_key; row += hn::Lanes(d))
    differentiate_rows(task, states, facts, row, block);
  drop(task, word, block.weight.get());
  drop(task, word, block.weight_bound.get());
}

void add_to_query_on_target(const GradientTask& task, index word, double sum_error, GradientColumns& block,
                            BoundedSum sum) {
  const Rows d;
  constexpr std::size_t group_end = block_end / static_cast<std::size_t>(keys_per_group);
  for (std::size_t i = 0; i < group_end; i += hn::Lanes(d)) {
    const std::size_t group = i / lanes_per_key, lane = i % lanes_per_key;
    Vector bound = hn::Zero(d);
    for (std::size_t key = 0; key < static_cast<std::size_t>(keys_per_group); ++key) {
      const std::size_t at = (group * static_cast<std::size_t>(keys_per_group) + key) * lanes_per_key + lane;
      const Vector magnitude = hn::Abs(hn::Load(d, block.gradient.get() + at));
      bound = hn::Add(bound,
                      hn::Add(hn::Load(d, block.gradient_bound.get() + at), hn::Mul(magnitude, hn::Set(d, sum_error))));
    }
    hn::Store(bound, d, block.grouped.get() + i);
  }
  alignas(64) double ones[rows_per_tile];
  std::fill_n(ones, rows_per_tile, 1.0);
  const DecodedRows& key = *task.key;
  const index first = word * keys_per_word, groups = keys_per_word / keys_per_group;
  for (index c = 0; c < key.columns; c += left_rows) {
    add_products(key.row(first) + c, key.stride, block.gradient.get(), keys_per_word, ones,
                 sum.value + c * rows_per_tile);
    add_products(key.group_peak(first) + c, key.stride, block.grouped.get(), groups, ones,
                 sum.bound + c * rows_per_tile);
  }
}

/// out[key][column] += sum over steps of left[key][step] rows[step][column], for 64 keys.
HWY_NOINLINE void add_rows(const double* left, index steps, const double* rows, index stride, double* out) {
  const Rows d;
  const auto lanes = static_cast<index>(hn::Lanes(d));
  for (index key = 0; key < keys_per_word; key += left_rows)
    for (index c = 0; c < stride; c += 2 * lanes)
      multiply(left + key * steps, steps, 1, rows + c, stride, steps,
               [&](index row, const Vector& a, const Vector& b) HWY_ATTR {
                 double* to = out + (key + row) * stride + c;
                 hn::Store(hn::Add(hn::Load(d, to), a), d, to);
                 hn::Store(hn::Add(hn::Load(d, to + lanes), b), d, to + lanes);
               });
}

/// block.grouped[key][g] = sum over the four rows of a group of what bounds the terms: bound + sum_error * |value|.
void group_rows(const double* value, const double* bound, double sum_error, double* grouped) {
  const auto of_pair = [&](std::size_t i) { return bound[i] + (value[i] < 0 ? -value[i] : value[i]) * sum_error; };
  for (std::size_t i = 0; i < block_end; i += static_cast<std::size_t>(keys_per_group))
    grouped[i / static_cast<std::size_t>(keys_per_group)] =
        (of_pair(i) + of_pair(i + 1)) + (of_pair(i + 2) + of_pair(i + 3));
}

void add_to_key_on_target(const KeySum& of, GradientColumns& block, BoundedSum sum) {
  group_rows(block.gradient.get(), block.gradient_bound.get(), of.sum_error, block.grouped.get());
  add_rows(block.gradient.get(), rows_per_tile, of.rows, of.stride, sum.value);
  add_rows(block.grouped.get(), rows_per_tile / keys_per_group, of.row_peaks, of.stride, sum.bound);
}

void add_to_value_on_target(const KeySum& of, GradientColumns& block, BoundedSum sum) {
  group_rows(block.weight.get(), block.weight_bound.get(), of.sum_error, block.grouped.get());
  add_rows(block.weight.get(), rows_per_tile, of.rows, of.stride, sum.value);
  add_rows(block.grouped.get(), rows_per_tile / keys_per_group, of.row_peaks, of.stride, sum.bound);
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(sum_tile_on_target);
HWY_EXPORT(differentiate_on_target);
HWY_EXPORT(add_to_query_on_target);
HWY_EXPORT(add_to_key_on_target);
HWY_EXPORT(add_to_value_on_target);

void sum_tile(const GradientTask& task, GradientColumns& scratch, GradientSums& sums) {
  HWY_DYNAMIC_DISPATCH(sum_tile_on_target)(task, scratch, sums);
}
void differentiate(const GradientTask& task, const RowStates& states, index word, GradientColumns& block) {
  HWY_DYNAMIC_DISPATCH(differentiate_on_target)(task, states, word, block);
}
void add_to_query(const GradientTask& task, index word, double sum_error, GradientColumns& block, BoundedSum sum) {
  HWY_DYNAMIC_DISPATCH(add_to_query_on_target)(task, word, sum_error, block, sum);
}
void add_to_key(const KeySum& of, GradientColumns& block, BoundedSum sum) {
  HWY_DYNAMIC_DISPATCH(add_to_key_on_target)(of, block, sum);
}
void add_to_value(const KeySum& of, GradientColumns& block, BoundedSum sum) {
  HWY_DYNAMIC_DISPATCH(add_to_value_on_target)(of, block, sum);
}

GradientColumns::GradientColumns() {
  for (AlignedDoubles* array : {&weight, &weight_bound, &gradient, &gradient_bound, &bias_gradient, &bias_bound, &score,
                                &correction, &slope, &product, &seen, &grouped})
    *array = zeroed_doubles(keys_per_word * rows_per_tile);
}

}  // namespace attestone
#endif
