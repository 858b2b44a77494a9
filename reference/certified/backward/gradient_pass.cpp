// SPDX-License-Identifier: Apache-2.0
// Tiles of rows and words of keys through the two sweeps.
#include "reference/certified/backward/gradient_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/certified/numbers/elementary.hpp"

namespace attestone {
namespace {

int lowest_bit(const DecodedRows& rows) {
  int lowest = VectorFacts().lowest_bit;
  for (const VectorFacts& facts : rows.facts) lowest = std::min(lowest, facts.lowest_bit);
  return lowest;
}

/// The fewest work items per panel, for load balance; a panel of fewer tiles has fewer.
constexpr index least_pieces = 4;

/// The place of a row among those of the truth, or -1.
index place_in(const std::vector<index>& chosen, index row) {
  const auto found = std::lower_bound(chosen.begin(), chosen.end(), row);
  return found != chosen.end() && *found == row ? found - chosen.begin() : -1;
}

}  // namespace

GradientWorkspace::Tile::Tile(const Shape& shape)
    : memory(shape),
      query_value(uninitialised_doubles(round_up(shape.dim, rows_per_tile) * rows_per_tile)),
      query_bound(uninitialised_doubles(round_up(shape.dim, rows_per_tile) * rows_per_tile)) {}

GradientWorkspace::GradientWorkspace(const Shape& shape)
    : finished(keys_per_word * round_up(std::max(shape.dim, shape.value_dim), rows_per_tile)) {
  for (index i = 0; i < tiles_at_once; ++i) tiles.emplace_back(shape);
}

GradientPass::GradientPass(const Problem& problem, const Inputs& inputs, index batch, index kv_head,
                           const Visibility& visibility, std::span<const index> queries, GradientTruth& truth,
                           BoundedTensor* bias)
    : problem_(problem),
      inputs_(inputs),
      kv_head_(kv_head),
      truth_(truth),
      bias_(bias),
      rows_(problem, inputs, batch, kv_head, visibility, queries),
      panel_(rows_.words(), rows_.tiles(),
             {problem.score.softcap().has_value(), static_cast<bool>(rows_.biases()), bias != nullptr}),
      tiles_per_piece_(std::clamp(panel_.tiles() / least_pieces, index{1}, tiles_at_once)),
      states_(static_cast<std::size_t>(rows_.tiles())),
      reached_(static_cast<std::size_t>(rows_.words())) {
  if (truth.keys.empty()) return;
  for (AlignedDoubles* sums : {&key_value_, &key_bound_})
    *sums = uninitialised_doubles(rows_.key.rows * rows_.key.stride);
  for (AlignedDoubles* sums : {&value_value_, &value_bound_})
    *sums = uninitialised_doubles(rows_.value.rows * rows_.value.stride);
}

void GradientPass::conclude_decoding() {
  certificates_.emplace(problem_, lowest_bit(rows_.key), lowest_bit(rows_.value));
}

bool GradientPass::is_live(index row) const {
  return !rows_.is_excluded(row) &&
         states_[static_cast<std::size_t>(row / rows_per_tile)].live[row % rows_per_tile] != 0;
}

/// True if the problem asks for a gradient that the word's keys gather.
bool GradientPass::is_asked(index word) const {
  const auto chosen = std::lower_bound(truth_.keys.begin(), truth_.keys.end(), word * keys_per_word);
  return bias_ || (chosen != truth_.keys.end() && *chosen < (word + 1) * keys_per_word);
}

/// Excludes rows and reads the others.
GradientTask GradientPass::begin(index tile, GradientWorkspace::Tile& work) {
  const index first = tile * rows_per_tile;
  work.chosen = false;
  for (index row = first; row < first + used_rows(tile); ++row) {
    if (rows_.sees_special(row)) rows_.exclude(row);
    work.chosen = work.chosen || place_in(truth_.queries, rows_.pair(row).query) >= 0;
  }
  for (double* sums : {work.query_value.get(), work.query_bound.get()})
    std::fill_n(sums, rows_.key.stride * rows_per_tile, 0.0);
  return rows_.task(tile, work.memory);
}

/// The states of the rows from the first sweep, which may have found biases that exclude them.
void GradientPass::conclude(index tile, const GradientSums& sums, GradientTask& task,
                            const GradientTaskMemory& memory) {
  const index first = tile * rows_per_tile;
  for (index lane = 0; lane < used_rows(tile); ++lane) {
    if (memory.special[static_cast<std::size_t>(lane)]) {
      rows_.exclude(first + lane);
      rows_.hide(lane, task);
    }
    if (!rows_.is_excluded(first + lane))
      certificates_->conclude(rows_.reach(first + lane), sums, lane, states_[static_cast<std::size_t>(tile)]);
  }
}

void GradientPass::differentiate(index panel, index piece, GradientWorkspace& work) {
  const index in_panel = piece * tiles_per_piece_, first = panel * panel_.tiles() + in_panel;
  const auto count = static_cast<std::size_t>(std::min(tiles_per_piece_, tiles_of(panel) - in_panel));
  std::array<GradientTask, tiles_at_once> tasks;
  std::array<GradientSums, tiles_at_once> sums;
  for (std::size_t i = 0; i < count; ++i) tasks[i] = begin(first + static_cast<index>(i), work.tiles[i]);
  sum_tiles(std::span(tasks).first(count), panel_, in_panel, work.pairs, sums);
  for (std::size_t i = 0; i < count; ++i)
    conclude(first + static_cast<index>(i), sums[i], tasks[i], work.tiles[i].memory);
  for (index stretch = 0; stretch * words_per_stretch < rows_.words(); ++stretch)
    for (std::size_t i = 0; i < count; ++i) {
      const bool last = i + 1 == count;
      const index next_tile = in_panel + (last ? 0 : static_cast<index>(i) + 1);
      differentiate({panel, first + static_cast<index>(i), next_tile}, stretch, stretch + last, tasks[i], work,
                    work.tiles[i]);
    }
  for (std::size_t i = 0; i < count; ++i)
    if (work.tiles[i].chosen) store_queries(first + static_cast<index>(i), work.tiles[i], work.finished);
}

/// The second sweep: the pairs of a tile and a stretch of words.
void GradientPass::differentiate(const PanelTile& at, index stretch, index next_stretch, const GradientTask& task,
                                 GradientWorkspace& work, GradientWorkspace::Tile& of_tile) {
  const SumErrors errors{static_cast<double>(keys_per_word + 2 + rows_.words()) * unit_double,
                         static_cast<double>(rows_per_tile + 1 + panel_.additions(rows_.tiles())) * unit_double};
  const index first = stretch * words_per_stretch, end = std::min(first + words_per_stretch, rows_.words());
  std::array<QueryWord, words_per_stretch> words;
  std::size_t count = 0;
  for (index word = first; word < end; ++word) {
    if (!of_tile.chosen && !is_asked(word)) continue;
    const PairBlock block = panel_.block(at.tile - at.panel * panel_.tiles(), word);
    if (std::all_of(task.visible.begin(), task.visible.end(), [&](auto* row) { return row[word] == 0; })) {
      block.forget_bounds();
      std::fill_n(work.pairs.terms_of(word), PairScratch::terms_per_word, 0.0);
      continue;
    }
    attestone::differentiate(task, states_[static_cast<std::size_t>(at.tile)], errors, word, block, work.pairs);
    words[count] = {word, block.gradient, {}, {}};
    if (const index next = word + (next_stretch - stretch) * words_per_stretch; next < rows_.words()) {
      words[count].next_weight = panel_.weights(at.next_in_panel, 1, next);
      words[count].next_gradient = panel_.gradients(at.next_in_panel, 1, next);
    }
    ++count;
  }
  if (of_tile.chosen && count > 0)
    add_to_query(rows_.key, std::span(words).first(count), stretch,
                 {work.pairs.terms_of(first), static_cast<std::size_t>((end - first) * PairScratch::terms_per_word)},
                 {of_tile.query_value.get(), of_tile.query_bound.get()});
}

void GradientPass::store_queries(index tile, const GradientWorkspace::Tile& work, FinishedElements& finished) {
  finished.finish(problem_, work.query_value.get(), work.query_bound.get(), rows_.key.stride * rows_per_tile,
                  problem_.scale(), static_cast<double>(problem_.shape.keys));
  std::array<Certified*, rows_per_tile> live{};
  for (index lane = 0; lane < used_rows(tile); ++lane) {
    const Pair at = rows_.pair(tile * rows_per_tile + lane);
    const index row = place_in(truth_.queries, at.query);
    if (row < 0) continue;
    Certified* to = &truth_.query.at(at.batch, at.head, row, 0);
    if (is_live(tile * rows_per_tile + lane))
      live[static_cast<std::size_t>(lane)] = to;
    else
      std::fill_n(to, problem_.shape.dim, Certified{});
  }
  undecided_ += finished.store_lanes(problem_, problem_.shape.dim, live);
}

/// Returns true if any row of the tile sees a key of the word.
bool GradientPass::note_reached(index tile, index word, Reached& reached) const {
  bool any = false;
  const auto w = static_cast<std::size_t>(word);
  for (index row = tile * rows_per_tile; row < tile * rows_per_tile + used_rows(tile); ++row) {
    if (rows_.is_excluded(row)) continue;
    any = any || rows_.visible(row)[w] != 0;
    if (is_live(row)) reached.key |= rows_.visible(row)[w];
    if (rows_.dout.facts[static_cast<std::size_t>(row)].norm > 0) reached.value |= rows_.kept(row)[w];
  }
  return any;
}

void GradientPass::add_to_keys(index panel, index word) {
  if (!is_asked(word)) return;
  const index first_tile = panel * panel_.tiles();
  std::vector<index> tiles;  // in the panel
  for (index tile = 0; tile < tiles_of(panel); ++tile) {
    if (!note_reached(first_tile + tile, word, reached_[static_cast<std::size_t>(word)])) continue;
    tiles.push_back(tile);
    if (bias_) add_bias_gradients(first_tile + tile, word, panel_.block(tile, word));
  }
  if (truth_.keys.empty()) return;
  const PairBlock block = panel_.block(0, word);
  const auto add = [&](const DecodedRows& rows, const double* pairs, const double* bounds, std::span<const double> next,
                       const AlignedDoubles& value, const AlignedDoubles& bound) {
    const index stride = rows.stride;
    const BoundedSum sum{value.get() + word * keys_per_word * stride, bound.get() + word * keys_per_word * stride};
    if (panel == 0)
      for (double* all : {sum.value, sum.bound}) std::fill_n(all, keys_per_word * stride, 0.0);
    if (tiles.empty()) return;
    attestone::add_to_keys({&rows, first_tile * rows_per_tile, tiles, pairs, bounds, block.bound_stride}, next, sum);
  };
  const index used = tiles_of(panel);
  std::span<const double> next_gradients;
  if (word + 1 < rows_.words()) next_gradients = panel_.gradients(0, used, word + 1);
  add(rows_.query, block.gradient, block.gradient_bound, panel_.weights(0, used, word), key_value_, key_bound_);
  add(rows_.dout, block.weight, block.weight_bound, next_gradients, value_value_, value_bound_);
}

void GradientPass::store_keys(index word, GradientWorkspace& work) {
  if (truth_.keys.empty() || !is_asked(word)) return;
  const auto store = [&](const DecodedRows& like, const AlignedDoubles& value, const AlignedDoubles& bound,
                         double factor, std::uint64_t keys, CertifiedTensor& to) {
    const index first = word * keys_per_word * like.stride;
    work.finished.finish(problem_, value.get() + first, bound.get() + first, keys_per_word * like.stride, factor,
                         static_cast<double>(rows_.count()));
    const index batch = rows_.pair(0).batch;
    for (auto key = std::lower_bound(truth_.keys.begin(), truth_.keys.end(), word * keys_per_word);
         key != truth_.keys.end() && *key < (word + 1) * keys_per_word; ++key) {
      const index in_word = *key - word * keys_per_word;
      const bool is_reached = (keys >> in_word) & 1;
      Certified* element = &to.at(batch, kv_head_, key - truth_.keys.begin(), 0);
      if (is_reached)
        undecided_ += work.finished.store_row(problem_, in_word * like.stride, like.columns, element);
      else
        std::fill_n(element, like.columns, Certified{});
    }
  };
  const Reached& reached = reached_[static_cast<std::size_t>(word)];
  store(rows_.key, key_value_, key_bound_, problem_.scale(), reached.key, truth_.key);
  store(rows_.value, value_value_, value_bound_, 1, reached.value, truth_.value);
}

void GradientPass::add_bias_gradients(index tile, index word, const PairBlock& block) {
  for (index lane = 0; lane < used_rows(tile); ++lane) {
    const index row = tile * rows_per_tile + lane;
    if (!is_live(row)) continue;
    std::uint64_t seen = rows_.visible(row)[static_cast<std::size_t>(word)];
    for (; seen; seen &= seen - 1) {
      const index in_word = std::countr_zero(seen);
      const auto at = static_cast<std::size_t>(in_word * rows_per_tile + lane);
      bias_->add(bias_->place(rows_.pair(row, word * keys_per_word + in_word)), block.bias_gradient[at],
                 block.bias_bound[at]);
    }
  }
}

void GradientPass::add_sink_gradients(BoundedTensor& sinks) const {
  for (index row = 0; row < rows_.count(); ++row) {
    if (!is_live(row)) continue;
    const RowStates& states = states_[static_cast<std::size_t>(row / rows_per_tile)];
    const index lane = row % rows_per_tile;
    const double p = states.sink_weight[lane], delta = states.delta[lane];
    const double relative = states.weight_error[lane] + 4 * unit_double;
    const double error = p * (relative * std::fabs(delta) + states.delta_error[lane]) + states.lost[lane];
    sinks.add(sinks.place(rows_.pair(row)), -p * delta, error);
  }
}

}  // namespace attestone
