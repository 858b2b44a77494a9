// SPDX-License-Identifier: Apache-2.0
// The blocked double kernel: scores transposed (lanes are queries), keys and values broadcast, fresh sums every tile.
#include "reference/certified/forward/row_tile.hpp"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/forward/row_tile.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/forward/tile_parts-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

/// The keys of a word that the head holds, from `first` on, and what a tile makes of them: the score or weight of key k
/// is score[k - first][16]. One memory serves all tiles, and stays in the first cache.
struct Word {
  index word, first, keys;
  double *score, *correction;

  /// Its groups of keys among those of its stretch, and how many it has.
  index first_group() const { return word % words_per_stretch * (keys_per_word / keys_per_group); }
  index groups() const { return keys / keys_per_group; }
  bool begins_stretch() const { return word % words_per_stretch == 0; }
};

void score_keys(const TileTask& task, const Word& word, Ahead ahead) {
  const Rows d;
  double* score = word.score;
  const DecodedHead& head = *task.head;
  for (index first = 0; first < word.keys; first += keys_per_block) {
    const index keys = std::min(keys_per_block, word.keys - first);
    const double* block = head.keys_of_block(word.word, first / keys_per_block);
    dot_products(DotOperand<1>{block, keys, keys * channels_per_chunk, head.dim}, keys, task.query, task.scale,
                 score + first * rows_per_tile, ahead);
  }
  if (!task.softcap) return;
  const Vector cap = hn::Set(d, *task.softcap);
  for (index i = 0; i < word.keys * rows_per_tile; i += static_cast<index>(hn::Lanes(d)))
    hn::Store(hn::Mul(cap, tanh(d, hn::Div(hn::Load(d, score + i), cap))), d, score + i);
}

/// Turns scores into weights, updates exponents and totals; `factor` becomes what rescales the older sums.
template <bool with_bias>
void weigh(const Word& word, TileSums& sums) {
  const Rows d;
  const auto keys = static_cast<std::size_t>(word.keys), end = keys * rows_per_tile;
  double *score = word.score, *group_weight = sums.group_weight.get() + word.first_group() * rows_per_tile;
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    const Vector top = largest_scores(score + row, end), before = hn::Load(d, sums.exponent + row);
    const Vector shift = hn::Max(before, nearest_power(d, top));
    const Vector rescale = scaled_by_power(d, hn::Set(d, 1.0), hn::Sub(before, shift));
    hn::Store(rescale, d, sums.factor + row);
    hn::Store(shift, d, sums.exponent + row);

    Vector total = hn::Zero(d);
    for (std::size_t key = 0; key < keys; key += keys_per_group) {
      Vector p[keys_per_group];
      weigh_keys<with_bias>(score + key * rows_per_tile + row,
                            with_bias ? word.correction + key * rows_per_tile + row : nullptr, shift, p);
      const Vector group = hn::Add(hn::Add(p[0], p[1]), hn::Add(p[2], p[3]));
      hn::Store(group, d, group_weight + key / keys_per_group * rows_per_tile + row);
      total = hn::Add(total, group);
    }
    hn::Store(hn::MulAdd(hn::Load(d, sums.total + row), rescale, total), d, sums.total + row);
  }
}

/// Takes away the weights of dropped pairs.
void drop(const TileTask& task, const Word& word, TileSums& sums) {
  const Rows d;
  double *weight = word.score, *group_weight = sums.group_weight.get() + word.first_group() * rows_per_tile;
  for (std::size_t row = 0; row < rows_per_tile; ++row) {
    std::uint64_t dropped = task.visible[row][word.word] & ~task.kept[row][word.word];
    for (; dropped; dropped &= dropped - 1)
      weight[static_cast<std::size_t>(std::countr_zero(dropped)) * rows_per_tile + row] = 0;
  }
  constexpr auto next = static_cast<std::size_t>(rows_per_tile);
  for (std::size_t group = 0; group < static_cast<std::size_t>(word.groups()); ++group)
    for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
      const double* p = weight + group * keys_per_group * next + row;
      const Vector first = hn::Add(hn::Load(d, p), hn::Load(d, p + next));
      const Vector second = hn::Add(hn::Load(d, p + 2 * next), hn::Load(d, p + 3 * next));
      hn::Store(hn::Add(first, second), d, group_weight + group * next + row);
    }
}

/// Brings the weights of the groups of the stretch's earlier words to the exponents of this one.
void rescale_groups(const Word& word, TileSums& sums) {
  const Rows d;
  if (word.begins_stretch()) std::fill_n(sums.stretch_factor, rows_per_tile, 1.0);
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    const Vector factor = hn::Load(d, sums.factor + row);
    if (hn::AllTrue(d, hn::Eq(factor, hn::Set(d, 1.0)))) continue;
    hn::Store(hn::Mul(hn::Load(d, sums.stretch_factor + row), factor), d, sums.stretch_factor + row);
    for (index group = 0; group < word.first_group(); ++group) {
      double* weight = sums.group_weight.get() + group * rows_per_tile + static_cast<index>(row);
      hn::Store(hn::Mul(hn::Load(d, weight), factor), d, weight);
    }
  }
}

/// The tile sees none of the word's keys.
void skip_groups(const Word& word, TileSums& sums) {
  if (word.begins_stretch()) std::fill_n(sums.stretch_factor, rows_per_tile, 1.0);
  std::fill_n(sums.group_weight.get() + word.first_group() * rows_per_tile, word.groups() * rows_per_tile, 0.0);
}

void add_values(const DecodedHead& head, const Word& word, TileSums& sums) {
  for (index c = 0; c < head.channels; c += channels_per_block)
    add_products<product_rows>(head.values(word.word, c), head.width(c), head.width(c), word.score, word.keys,
                               sums.factor, sums.out.get() + c * rows_per_tile);
}

/// Adds the magnitudes of weighted values of the stretch that ends with this word.
void add_magnitudes(const DecodedHead& head, const Word& word, TileSums& sums) {
  const index stretch = word.word / words_per_stretch;
  for (index c = 0; c < head.channels; c += channels_per_block)
    add_products<product_rows>(head.group_peaks(stretch, c), head.width(c), head.width(c), sums.group_weight.get(),
                               head.groups_of(stretch), sums.stretch_factor, sums.magnitude.get() + c * rows_per_tile);
}

/// The norms and peaks that the bounds of the rows need.
void note_magnitudes(const TileTask& task, index word) {
  TileSums& sums = *task.sums;
  const DecodedHead::WordFacts& facts = task.head->word_facts[static_cast<std::size_t>(word)];
  for (index row = 0; row < rows_per_tile; ++row) {
    if (!task.visible[static_cast<std::size_t>(row)][word]) continue;
    sums.key_norm[row] = std::max(sums.key_norm[row], facts.key_norm);
    sums.value_peak[row] = std::max(sums.value_peak[row], facts.value_peak);
    ++sums.tiles[row];
  }
}

void begin(const TileTask& task) {
  TileSums& sums = *task.sums;
  std::fill_n(sums.out.get(), task.head->channels * rows_per_tile, 0.0);
  std::fill_n(sums.magnitude.get(), task.head->channels * rows_per_tile, 0.0);
  begin_with_sinks(task.sink, sums.exponent, sums.total);
  for (double* zeroed : {sums.key_norm, sums.value_peak}) std::fill_n(zeroed, rows_per_tile, 0);
  std::fill_n(sums.tiles, rows_per_tile, 0);
}

/// The weights of a word, and what goes with them.
void weigh_word(const TileTask& task, const Word& word, const Ahead& ahead) {
  TileSums& sums = *task.sums;
  score_keys(task, word, ahead);
  if (task.bias) {
    task.bias(task.bias_context, word.first, word.keys, word.correction);
    add_biases(word.keys, word.score, word.correction);
  }
  std::uint64_t visible[rows_per_tile];
  for (std::size_t row = 0; row < rows_per_tile; ++row) visible[row] = task.visible[row][word.word];
  set_hidden(visible, word.keys, weightless_score, word.score);
  task.bias ? weigh<true>(word, sums) : weigh<false>(word, sums);
  if (task.kept.front()) drop(task, word, sums);
  note_magnitudes(task, word.word);
}

/// The share of the tile-th of some tiles in fetching K and V of the next word; during the last one, the place of the
/// tile's answers.
Ahead next_word(const TileTask& task, const Word& word, std::size_t tile, std::size_t tiles) {
  const DecodedHead& head = *task.head;
  const index steps = keys_per_word / keys_per_block * ((head.dim + channels_per_chunk - 1) / channels_per_chunk);
  if (word.first + word.keys == head.keys)
    return {
        {reinterpret_cast<const double*>(task.answers.data()), task.answers.size_bytes() / sizeof(double)}, {}, steps};
  const auto share = [&](const double* of_word, index columns) {
    const std::span<const double> all(of_word, static_cast<std::size_t>(head.keys_of(word.word + 1) * columns));
    const std::size_t first = all.size() * tile / tiles;
    return all.subspan(first, all.size() * (tile + 1) / tiles - first);
  };
  return {share(head.keys_of_block(word.word + 1, 0), head.dim), share(head.values(word.word + 1, 0), head.channels),
          steps};
}

bool sees_any(const TileTask& task, index word) {
  for (const std::uint64_t* row : task.visible)
    if (row[word]) return true;
  return false;
}

void sum_rows_on_target(std::span<const TileTask> tasks) {
  for (const TileTask& task : tasks) begin(task);
  const DecodedHead& head = *tasks.front().head;
  std::array<bool, tiles_at_once> seen{};  // any key of the stretch
  const index words = tasks.front().words;
  const AlignedDoubles score = uninitialised_doubles(keys_per_word * rows_per_tile);
  const AlignedDoubles correction = uninitialised_doubles(keys_per_word * rows_per_tile);
  for (index w = 0; w < words; ++w) {
    const Word word{w, w * keys_per_word, head.keys_of(w), score.get(), correction.get()};
    const bool ends_stretch = w % words_per_stretch == words_per_stretch - 1 || w == words - 1;
    if (word.begins_stretch()) seen.fill(false);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      TileSums& sums = *tasks[i].sums;
      if (sees_any(tasks[i], w)) {
        seen[i] = true;
        weigh_word(tasks[i], word, next_word(tasks[i], word, i, tasks.size()));
        rescale_groups(word, sums);
        add_values(head, word, sums);
      } else {
        skip_groups(word, sums);
      }
      if (ends_stretch && seen[i]) add_magnitudes(head, word, sums);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(sum_rows_on_target);

void sum_rows(std::span<const TileTask> tasks) { HWY_DYNAMIC_DISPATCH(sum_rows_on_target)(tasks); }

TileSums::TileSums(index channels)
    : out(uninitialised_doubles(channels * rows_per_tile)),
      magnitude(uninitialised_doubles(channels * rows_per_tile)),
      group_weight(uninitialised_doubles(groups_per_stretch * rows_per_tile)) {}

}  // namespace attestone
#endif
