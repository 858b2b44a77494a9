// SPDX-License-Identifier: Apache-2.0
// The blocked kernel of the backward pass: scores, weights and their gradients, lanes being queries.
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
void bend(double softcap, double* score, double* slope) {
  const Rows d;
  constexpr double saturated = 1024;  // twice |s / c|: the derivative is lost
  const Vector cap = hn::Set(d, softcap), one = hn::Set(d, 1.0), zero = hn::Zero(d);
  for (std::size_t i = 0; i < block_end; i += hn::Lanes(d)) {
    const Vector z = hn::Div(hn::Load(d, score + i), cap), magnitude = hn::Abs(z);
    const Vector twice = hn::Min(hn::Add(magnitude, magnitude), hn::Set(d, saturated));
    const Vector w = exp_shifted(d, hn::Neg(twice), zero), sum = hn::Add(one, w);
    hn::Store(hn::Mul(cap, tanh(d, z)), d, score + i);
    hn::Store(hn::Div(hn::Mul(hn::Set(d, 4.0), w), hn::Mul(sum, sum)), d, slope + i);
  }
}

using RowBits = std::array<const std::uint64_t*, rows_per_tile>;

/// True if the rows have all bits of one word.
bool has_all(const RowBits& of_rows, index word) {
  return std::ranges::all_of(of_rows, [&](const std::uint64_t* row) { return ~row[word] == 0; });
}

/// flags[key][16] = 1 or 0, the bits of one word of each row: all pairs are taken for what most of them are, and then
/// the others are set.
void spread_bits(const RowBits& of_rows, index word, double* flags) {
  std::uint64_t bits[rows_per_tile];
  std::size_t count = 0;
  for (std::size_t row = 0; row < lanes_per_key; ++row) {
    bits[row] = of_rows[row][word];
    count += static_cast<std::size_t>(std::popcount(bits[row]));
  }
  const bool few = count < block_end / 2;
  std::fill_n(flags, block_end, few ? 0.0 : 1.0);
  if (few)
    for (std::uint64_t& of_row : bits) of_row = ~of_row;
  set_hidden(bits, keys_per_word, few ? 1 : 0, flags);
}

/// Fills a block with scores and dO.v, slopes and corrections; hidden keys have a score that weighs nothing.
void score_block(const GradientTask& task, index word, const PairBlock& block, Ahead ahead) {
  const index first = word * keys_per_word;
  const auto rows = [&](const DecodedRows& of) {
    return DotOperand<columns_per_block>{of.at(first, 0), 1, DecodedRows::block_stride, of.columns};
  };
  dot_products(rows(*task.key), keys_per_word, task.query, task.scale, block.weight, ahead);
  dot_products(rows(*task.value), keys_per_word, task.dout, 1.0, block.gradient, ahead);
  if (block.slope) bend(*task.softcap, block.weight, block.slope);
  if (block.correction) {
    task.bias(task.bias_context, first, keys_per_word, block.correction);
    add_biases(keys_per_word, block.weight, block.correction);
  }
  std::uint64_t visible[rows_per_tile];
  for (std::size_t row = 0; row < lanes_per_key; ++row) visible[row] = task.visible[row][word];
  set_hidden(visible, keys_per_word, weightless_score, block.weight);
}

/// The share of the tile-th of some tiles in fetching K and V of the next word.
Ahead next_word(const GradientTask& task, index word, std::size_t tile, std::size_t tiles) {
  if (word + 1 == task.words) return {};
  const auto share = [&](const DecodedRows& of) {
    const std::span<const double> all = of.word((word + 1) * keys_per_word);
    const std::size_t first = all.size() * tile / tiles;
    return all.subspan(first, all.size() * (tile + 1) / tiles - first);
  };
  const index chunks = (task.key->columns + task.value->columns) / channels_per_chunk;
  return {share(*task.key), share(*task.value), keys_per_word / product_rows * std::max<index>(1, chunks)};
}

bool sees_any(const GradientTask& task, index word) {
  for (const std::uint64_t* row : task.visible)
    if (row[word]) return true;
  return false;
}

/// Scores become weights p, and exponents rise to those of the word; adds p, p z a, p z |a| and p z |v|. `kept`: z, or
/// null without dropout.
template <bool with_bias>
void weigh(const VectorFacts* facts, const PairBlock& block, const double* kept, GradientSums& sums) {
  const Rows d;
  const Vector zero = hn::Zero(d);
  for (std::size_t row = 0; row < lanes_per_key; row += hn::Lanes(d)) {
    const Vector before = hn::Load(d, sums.exponent.of + row);
    const Vector shift = hn::Max(before, nearest_power(d, largest_scores(block.weight + row, block_end)));
    const Vector rescale = scaled_by_power(d, hn::Set(d, 1.0), hn::Sub(before, shift));
    hn::Store(shift, d, sums.exponent.of + row);
    hn::Store(shift, d, block.exponent + row);
    Vector total = zero, product = zero, magnitude = zero, norm = zero;
    const auto add_key = [&](std::size_t key, const Vector& p) ATTESTONE_IN_KERNEL {
      const std::size_t i = key * lanes_per_key + row;
      const Vector any = hn::Load(d, block.gradient + i);
      total = hn::Add(total, p);
      const Vector left = kept ? hn::IfThenElseZero(hn::Gt(hn::Load(d, kept + i), zero), p) : p;
      const Vector a = hn::IfThenElseZero(hn::Gt(left, zero), any);  // invisible ones may have overflowed
      product = hn::MulAdd(left, a, product);
      magnitude = hn::MulAdd(left, hn::Abs(a), magnitude);
      norm = hn::MulAdd(left, hn::Set(d, facts[key].norm), norm);
    };
    for (std::size_t key = 0; key < static_cast<std::size_t>(keys_per_word); key += keys_per_group) {
      const std::size_t i = key * lanes_per_key + row;
      Vector p[keys_per_group];
      weigh_keys<with_bias>(block.weight + i, with_bias ? block.correction + i : nullptr, shift, p);
      unrolled<keys_per_group>([&]<int k>() ATTESTONE_IN_KERNEL { add_key(key + k, p[k]); });
    }
    const auto add = [&](TileLanes& sum, const Vector& of_word) HWY_ATTR {
      hn::Store(hn::MulAdd(hn::Load(d, sum.of + row), rescale, of_word), d, sum.of + row);
    };
    add(sums.total, total), add(sums.product, product), add(sums.magnitude, magnitude), add(sums.norm, norm);
  }
}

void weigh_block(const GradientTask& task, index word, const PairBlock& block, PairScratch& scratch,
                 GradientSums& sums) {
  const bool all_kept = task.kept == task.visible || has_all(task.kept, word);
  if (!all_kept) spread_bits(task.kept, word, scratch.kept.get());
  const VectorFacts* facts = task.value->facts.data() + word * keys_per_word;
  const double* kept = all_kept ? nullptr : scratch.kept.get();
  block.correction ? weigh<true>(facts, block, kept, sums) : weigh<false>(facts, block, kept, sums);
}

void sum_tiles_on_target(std::span<const GradientTask> tasks, const GradientPanel& panel, index first_tile,
                         PairScratch& scratch, std::span<GradientSums> sums) {
  const Rows d;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    sums[i] = {};
    begin_with_sinks(tasks[i].sink.of, sums[i].exponent.of, sums[i].total.of);
  }
  for (index word = 0; word < tasks.front().words; ++word)
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (!sees_any(tasks[i], word)) continue;
      const PairBlock block = panel.block(first_tile + static_cast<index>(i), word);
      score_block(tasks[i], word, block, next_word(tasks[i], word, i, tasks.size()));
      weigh_block(tasks[i], word, block, scratch, sums[i]);
    }
  for (std::size_t i = 0; i < tasks.size(); ++i)
    for (std::size_t row = 0; row < lanes_per_key; row += hn::Lanes(d)) {
      const Vector sink = hn::Max(hn::Load(d, tasks[i].sink.of + row), hn::Set(d, weightless_score));
      hn::Store(exp_shifted(d, sink, hn::Load(d, sums[i].exponent.of + row)), d, sums[i].sink.of + row);
    }
}

/// dS of some rows and all keys of the block, from the states of the rows; with and without the slope. `all`: every
/// row sees and keeps every key, and is live.
// long: what is loaded of the rows stays in registers for all keys
template <bool all>
void differentiate_rows(const RowStates& states, const SumErrors& errors, const VectorFacts* facts, std::size_t row,
                        const PairBlock& block, double* query_terms, PairScratch& scratch) {
  const Rows d;
  constexpr double lost_weight = 0x1p-996;  // of a normalised weight
  const Vector zero = hn::Zero(d), few_roundings = hn::Set(d, 8 * unit_double), lost_p = hn::Set(d, lost_weight);
  const Vector by_query = hn::Set(d, errors.query), by_key = hn::Set(d, errors.key);
  const auto load = [&](const TileLanes& of) HWY_ATTR { return hn::Load(d, of.of + row); };
  // The rise of the exponent since the word was weighed: exact, but for weights that count as lost.
  const Vector rescale =
      scaled_by_power(d, hn::Set(d, 1.0), hn::Sub(hn::Load(d, block.exponent + row), load(states.exponent)));
  const Vector inverse = hn::Mul(load(states.inverse), rescale), delta = load(states.delta);
  const Vector by_product = hn::Add(load(states.weight_error), few_roundings), by_norm = load(states.dot_error);
  const Vector by_slope = hn::Add(by_product, load(states.slope_error)), of_p = load(states.weight_error);
  const Vector by_weight = load(states.delta_error), lost = load(states.lost);
  const auto live = hn::Gt(load(states.live), zero);

  /// The pair of this key: what it adds to the bounds of sums over keys.
  const auto differentiate_pair = [&](std::size_t key) HWY_ATTR {
    const std::size_t i = key * lanes_per_key + row;
    const auto seen = hn::Gt(hn::Load(d, (all ? block.weight : scratch.seen.get()) + i), zero);
    const auto where = [&](const auto& mask, const Vector& x)
                           HWY_ATTR { return all ? x : hn::IfThenElseZero(mask, x); };
    const auto kept = hn::Gt(hn::Load(d, (all ? block.weight : scratch.kept.get()) + i), zero);
    const auto used = hn::And(seen, live);
    const Vector p = where(seen, hn::Mul(hn::Load(d, block.weight + i), inverse));
    const Vector x = where(used, hn::Sub(where(kept, hn::Load(d, block.gradient + i)), delta));
    const Vector magnitude = hn::Abs(x), of_key = hn::Mul(by_norm, hn::Set(d, facts[key].norm));
    const Vector common = hn::Add(of_key, by_weight);
    const auto bound = [&](const Vector& factor, const Vector& relative) HWY_ATTR {
      const Vector error = hn::Mul(factor, hn::Add(hn::Mul(relative, magnitude), common));
      return where(used, hn::Add(error, lost));
    };
    const Vector ds = hn::Mul(p, x), slope = block.slope ? hn::Load(d, block.slope + i) : hn::Set(d, 1.0);
    if (block.bias_gradient) {
      hn::Store(ds, d, block.bias_gradient + i);
      hn::Store(bound(p, by_product), d, block.bias_bound + i);
    }
    const Vector gradient = where(used, hn::Mul(ds, slope)), size = hn::Abs(gradient);
    const Vector gradient_bound = bound(hn::Mul(p, slope), by_slope);
    const Vector weight = where(kept, p), weight_bound = where(kept, hn::Add(hn::Mul(p, of_p), lost_p));
    hn::Store(weight, d, block.weight + i);
    hn::Store(gradient, d, block.gradient + i);
    hn::Store(hn::Add(weight_bound, hn::Mul(weight, by_key)), d, scratch.weight_terms.get() + i);
    hn::Store(hn::Add(gradient_bound, hn::Mul(size, by_key)), d, scratch.gradient_terms.get() + i);
    return hn::Add(gradient_bound, hn::Mul(size, by_query));
  };

  constexpr auto every = static_cast<std::size_t>(groups_per_tile);
  for (std::size_t group = 0; group < static_cast<std::size_t>(keys_per_word / keys_per_group); ++group) {
    const std::size_t key = group / every * lanes_per_key + group % every;  // and every fourth after it
    const Vector terms = hn::Add(hn::Add(differentiate_pair(key), differentiate_pair(key + every)),
                                 hn::Add(differentiate_pair(key + 2 * every), differentiate_pair(key + 3 * every)));
    hn::Store(terms, d, query_terms + group * lanes_per_key + row);
  }
}

/// Four of grouped[key][stride] = sums over every fourth row.
void group_rows(const double* terms, double* grouped, index stride) {
  const hn::CappedTag<double, static_cast<std::size_t>(groups_per_tile)> d;
  constexpr auto every = static_cast<std::size_t>(groups_per_tile);
  for (std::size_t i = 0; i < block_end; i += lanes_per_key, grouped += stride)
    for (std::size_t lane = 0; lane < every; lane += hn::Lanes(d)) {
      const auto at = [&](std::size_t of) HWY_ATTR { return hn::Load(d, terms + i + of * every + lane); };
      hn::StoreU(hn::Add(hn::Add(at(0), at(1)), hn::Add(at(2), at(3))), d, grouped + lane);
    }
}

void differentiate_on_target(const GradientTask& task, const RowStates& states, const SumErrors& errors, index word,
                             const PairBlock& block, PairScratch& scratch) {
  const Rows d;
  const bool all = has_all(task.visible, word) && has_all(task.kept, word) &&
                   std::ranges::all_of(states.live.of, [](double live) { return live != 0; });
  if (!all) {
    spread_bits(task.visible, word, scratch.seen.get());
    spread_bits(task.kept, word, scratch.kept.get());
  }
  const VectorFacts* facts = task.value->facts.data() + word * keys_per_word;
  double* query_terms = scratch.terms_of(word);
  for (std::size_t row = 0; row < lanes_per_key; row += hn::Lanes(d))
    all ? differentiate_rows<true>(states, errors, facts, row, block, query_terms, scratch)
        : differentiate_rows<false>(states, errors, facts, row, block, query_terms, scratch);
  group_rows(scratch.weight_terms.get(), block.weight_bound, block.bound_stride);
  group_rows(scratch.gradient_terms.get(), block.gradient_bound, block.bound_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(sum_tiles_on_target);
HWY_EXPORT(differentiate_on_target);

void sum_tiles(std::span<const GradientTask> tasks, const GradientPanel& panel, index first_tile, PairScratch& scratch,
               std::span<GradientSums> sums) {
  HWY_DYNAMIC_DISPATCH(sum_tiles_on_target)(tasks, panel, first_tile, scratch, sums);
}
void differentiate(const GradientTask& task, const RowStates& states, const SumErrors& errors, index word,
                   const PairBlock& block, PairScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(differentiate_on_target)(task, states, errors, word, block, scratch);
}

PairScratch::PairScratch() {
  for (AlignedDoubles* array : {&seen, &kept, &weight_terms, &gradient_terms})
    *array = uninitialised_doubles(keys_per_word * rows_per_tile);
  query_terms = uninitialised_doubles(words_per_stretch * terms_per_word);
}

}  // namespace attestone
#endif
