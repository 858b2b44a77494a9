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

AlignedDoubles block_of(index columns) { return zeroed_doubles(keys_per_word * round_up(columns, rows_per_tile)); }

/// The place of a row among those of the truth, or -1.
index place_in(const std::vector<index>& chosen, index row) {
  const auto found = std::lower_bound(chosen.begin(), chosen.end(), row);
  return found != chosen.end() && *found == row ? found - chosen.begin() : -1;
}

}  // namespace

GradientWorkspace::GradientWorkspace(const Shape& shape)
    : task(shape),
      query_value(block_of(shape.dim)),
      query_bound(block_of(shape.dim)),
      key_value(block_of(shape.dim)),
      key_bound(block_of(shape.dim)),
      value_value(block_of(shape.value_dim)),
      value_bound(block_of(shape.value_dim)),
      finished(keys_per_word * round_up(std::max(shape.dim, shape.value_dim), rows_per_tile)) {}

GradientPass::GradientPass(const Problem& problem, const Inputs& inputs, index batch, index kv_head,
                           const Visibility& visibility, std::span<const index> queries, GradientTruth& truth)
    : problem_(problem),
      inputs_(inputs),
      kv_head_(kv_head),
      truth_(truth),
      rows_(problem, inputs, batch, kv_head, visibility, queries),
      states_(static_cast<std::size_t>(rows_.tiles())) {}

void GradientPass::conclude_decoding() {
  certificates_.emplace(problem_, lowest_bit(rows_.key), lowest_bit(rows_.value));
}

bool GradientPass::is_live(index row) const {
  return !rows_.is_excluded(row) &&
         states_[static_cast<std::size_t>(row / rows_per_tile)].live[row % rows_per_tile] != 0;
}

void GradientPass::sum(index tile, GradientWorkspace& work) {
  const index first = tile * rows_per_tile;
  for (index row = first; row < first + used_rows(tile); ++row)
    if (rows_.sees_special(row)) rows_.exclude(row);
  GradientSums sums;
  sum_tile(rows_.task(tile, work.task), work.block, sums);
  for (index lane = 0; lane < used_rows(tile); ++lane) {
    if (work.task.special[static_cast<std::size_t>(lane)]) rows_.exclude(first + lane);
    if (!rows_.is_excluded(first + lane))
      certificates_->conclude(rows_.reach(first + lane), sums, lane, states_[static_cast<std::size_t>(tile)]);
  }
}

void GradientPass::differentiate_queries(index tile, GradientWorkspace& work) {
  const index first = tile * rows_per_tile;
  const auto chosen = [&](index lane) { return place_in(truth_.queries, rows_.pair(first + lane).query); };
  bool any_chosen = false;
  for (index lane = 0; lane < used_rows(tile); ++lane) any_chosen = any_chosen || chosen(lane) >= 0;
  if (!any_chosen) return;
  const GradientTask task = rows_.task(tile, work.task);
  const index count = rows_.key.stride * rows_per_tile;
  for (double* sums : {work.query_value.get(), work.query_bound.get()}) std::fill_n(sums, count, 0.0);
  const double sum_error = static_cast<double>(keys_per_word + 2 + rows_.words()) * unit_double;
  for (index word = 0; word < rows_.words(); ++word) {
    if (std::all_of(task.visible.begin(), task.visible.end(), [&](auto* row) { return row[word] == 0; })) continue;
    differentiate(task, states_[static_cast<std::size_t>(tile)], word, work.block);
    add_to_query(task, word, sum_error, work.block, {work.query_value.get(), work.query_bound.get()});
  }
  work.finished.finish(problem_, work.query_value.get(), work.query_bound.get(), count, problem_.scale(),
                       static_cast<double>(problem_.shape.keys));
  for (index lane = 0; lane < used_rows(tile); ++lane)
    if (const index row = chosen(lane); row >= 0 && is_live(first + lane)) store_query(first + lane, row, work);
}

void GradientPass::store_query(index row, index row_of_truth, const GradientWorkspace& work) {
  const Pair at = rows_.pair(row);
  for (index c = 0; c < problem_.shape.dim; ++c)
    truth_.query.at(at.batch, at.head, row_of_truth, c) =
        work.finished.element(c * rows_per_tile + row % rows_per_tile, problem_.output);
}

/// Whether any row of the tile sees a key of the word.
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

void GradientPass::differentiate_keys(index word, GradientWorkspace& work, BoundedTensor* bias) {
  const auto chosen = std::lower_bound(truth_.keys.begin(), truth_.keys.end(), word * keys_per_word);
  if (!bias && (chosen == truth_.keys.end() || *chosen >= (word + 1) * keys_per_word)) return;
  for (double* sums : {work.key_value.get(), work.key_bound.get()})
    std::fill_n(sums, keys_per_word * rows_.key.stride, 0.0);
  for (double* sums : {work.value_value.get(), work.value_bound.get()})
    std::fill_n(sums, keys_per_word * rows_.value.stride, 0.0);
  const double sum_error = static_cast<double>(rows_per_tile + 1 + rows_.tiles()) * unit_double;
  Reached reached;
  for (index tile = 0; tile < rows_.tiles(); ++tile) {
    if (!note_reached(tile, word, reached)) continue;
    const index first = tile * rows_per_tile;
    const RowStates& states = states_[static_cast<std::size_t>(tile)];
    differentiate(rows_.task(tile, work.task), states, word, work.block);
    add_to_key({rows_.query.row(first), rows_.query.group_peak(first), rows_.query.stride, sum_error}, work.block,
               {work.key_value.get(), work.key_bound.get()});
    add_to_value({rows_.dout.row(first), rows_.dout.group_peak(first), rows_.dout.stride, sum_error}, work.block,
                 {work.value_value.get(), work.value_bound.get()});
    if (bias) add_bias_gradients(tile, word, work.block, *bias);
  }
  store_keys(word, reached, work);
}

void GradientPass::store_keys(index word, const Reached& reached, GradientWorkspace& work) {
  const auto store = [&](const DecodedRows& like, const AlignedDoubles& value, const AlignedDoubles& bound,
                         double factor, std::uint64_t keys, CertifiedTensor& to) {
    work.finished.finish(problem_, value.get(), bound.get(), keys_per_word * like.stride, factor,
                         static_cast<double>(rows_.count()));
    const index batch = rows_.pair(0).batch;
    for (auto key = std::lower_bound(truth_.keys.begin(), truth_.keys.end(), word * keys_per_word);
         key != truth_.keys.end() && *key < (word + 1) * keys_per_word; ++key) {
      const index in_word = *key - word * keys_per_word;
      if (!((keys >> in_word) & 1)) continue;
      for (index c = 0; c < like.columns; ++c)
        to.at(batch, kv_head_, key - truth_.keys.begin(), c) =
            work.finished.element(in_word * like.stride + c, problem_.output);
    }
  };
  store(rows_.key, work.key_value, work.key_bound, problem_.scale(), reached.key, truth_.key);
  store(rows_.value, work.value_value, work.value_bound, 1, reached.value, truth_.value);
}

void GradientPass::add_bias_gradients(index tile, index word, const GradientColumns& block, BoundedTensor& bias) const {
  for (index lane = 0; lane < used_rows(tile); ++lane) {
    const index row = tile * rows_per_tile + lane;
    if (!is_live(row)) continue;
    std::uint64_t seen = rows_.visible(row)[static_cast<std::size_t>(word)];
    for (; seen; seen &= seen - 1) {
      const index in_word = std::countr_zero(seen);
      const auto at = static_cast<std::size_t>(in_word * rows_per_tile + lane);
      bias.add(bias.place(rows_.pair(row, word * keys_per_word + in_word)), block.bias_gradient[at],
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
