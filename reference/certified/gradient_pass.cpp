// SPDX-License-Identifier: Apache-2.0
// Rows in tiles and keys in words through the two sweeps, and the last factors of their sums.
#include "reference/certified/gradient_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/certified/elementary.hpp"
#include "reference/certified/enclosure.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Covers products of small errors and the rounding of all bounds (docs/certified.md, "Margin").
constexpr double margin = 1 + 0x1p-18;

/// out[channel][16] = the sixteen rows from first_row on.
void transpose(const DecodedRows& rows, index first_row, double* out) {
  for (index c = 0; c < rows.columns; ++c)
    for (index lane = 0; lane < rows_per_tile; ++lane) out[c * rows_per_tile + lane] = rows.row(first_row + lane)[c];
}

int lowest_bit(const DecodedRows& rows) {
  int lowest = VectorFacts().lowest_bit;
  for (const VectorFacts& facts : rows.facts) lowest = std::min(lowest, facts.lowest_bit);
  return lowest;
}

AlignedDoubles block_of(index columns) { return zeroed_doubles(keys_per_word * round_up(columns, rows_per_tile)); }

}  // namespace

std::size_t BoundedTensor::place(const Pair& at) const {
  const std::array<index, 4> all{at.batch, at.head, at.query, at.key};
  index place = 0;
  for (std::size_t axis = 0; axis < all.size(); ++axis)
    place = place * extents[axis] + (extents[axis] == 1 ? 0 : all[axis]);
  return static_cast<std::size_t>(place);
}

void BoundedTensor::add(std::size_t place, double term, double term_bound) {
  value[place] += term;
  bound[place] += term_bound + unit_double * std::fabs(value[place]);
}

GradientWorkspace::GradientWorkspace(const Shape& shape)
    : query(block_of(shape.dim)),
      dout(block_of(shape.value_dim)),
      query_value(block_of(shape.dim)),
      query_bound(block_of(shape.dim)),
      key_value(block_of(shape.dim)),
      key_bound(block_of(shape.dim)),
      value_value(block_of(shape.value_dim)),
      value_bound(block_of(shape.value_dim)) {}

GradientPass::GradientPass(const Problem& problem, const Inputs& inputs, index batch, index kv_head,
                           const Visibility& visibility, std::span<const index> rows, GradientTruth& truth)
    : problem_(problem),
      inputs_(inputs),
      batch_(batch),
      kv_head_(kv_head),
      first_query_head_(kv_head * (problem.shape.heads / problem.shape.kv_heads)),
      visibility_(visibility),
      all_queries_(rows),
      truth_(truth),
      rows_(problem.shape.heads / problem.shape.kv_heads * std::ssize(rows)),
      key_(problem.shape.keys, problem.shape.dim),
      value_(problem.shape.keys, problem.shape.value_dim),
      query_(rows_, problem.shape.dim),
      dout_(rows_, problem.shape.value_dim),
      biases_(problem, inputs),
      dropout_(problem),
      states_(static_cast<std::size_t>(tiles())),
      kept_(dropout_ ? static_cast<std::size_t>(rows_ * words()) : 0),
      nothing_(static_cast<std::size_t>(words())),
      excluded_(static_cast<std::size_t>(rows_)) {}

GradientPass::Place GradientPass::place(index row) const {
  const auto queries = std::ssize(all_queries_);
  return {first_query_head_ + row / queries, row % queries, all_queries_[static_cast<std::size_t>(row % queries)]};
}

std::span<const std::uint64_t> GradientPass::visible(index row) const {
  const Place at = place(row);
  return visibility_.row(at.head, at.row);
}

std::span<const std::uint64_t> GradientPass::kept(index row) const {
  if (!dropout_) return visible(row);
  return std::span(kept_).subspan(static_cast<std::size_t>(row * words()), static_cast<std::size_t>(words()));
}

std::optional<double> GradientPass::sink(index head) const {
  if (!inputs_.sink) return std::nullopt;
  const double sink = inputs_.sink->view().value(0, head, 0, 0);
  return sink == -infinity ? std::nullopt : std::optional(sink);
}

void GradientPass::decode_keys(index word) {
  const RowReader keys(inputs_.key.view()), values(inputs_.value.view());
  std::uint64_t seen = visibility_.seen(kv_head_)[static_cast<std::size_t>(word)];
  for (; seen; seen &= seen - 1) {
    const index key = word * keys_per_word + std::countr_zero(seen);
    key_.decode(keys, batch_, kv_head_, key, key);
    value_.decode(values, batch_, kv_head_, key, key);
  }
  key_.conclude(word * keys_per_word);
  value_.conclude(word * keys_per_word);
}

void GradientPass::decode_rows(index row_word) {
  const RowReader queries(inputs_.query.view()), douts(inputs_.dout->view());
  const index first = row_word * keys_per_word;
  for (index row = first; row < std::min(first + keys_per_word, rows_); ++row) {
    const Place at = place(row);
    query_.decode(queries, batch_, at.head, at.query, row);
    dout_.decode(douts, batch_, at.head, at.query, row);
    if (dropout_)
      keep_pairs(dropout_, {batch_, at.head, at.query, 0}, visible(row),
                 std::span(kept_).subspan(static_cast<std::size_t>(row * words()), static_cast<std::size_t>(words())));
  }
  query_.conclude(first);
  dout_.conclude(first);
}

void GradientPass::conclude_decoding() { certificates_.emplace(problem_, lowest_bit(key_), lowest_bit(value_)); }

RowReach GradientPass::reach(index row) const {
  RowReach reach;
  reach.query = query_.facts[static_cast<std::size_t>(row)];
  reach.dout = dout_.facts[static_cast<std::size_t>(row)];
  const std::span<const std::uint64_t> words = visible(row);
  for (std::size_t w = 0; w < words.size(); ++w) {
    reach.keys += std::popcount(words[w]);
    reach.words += words[w] != 0;
    for (std::uint64_t left = words[w]; left; left &= left - 1) {
      const std::size_t key = w * keys_per_word + static_cast<std::size_t>(std::countr_zero(left));
      reach.key_norm = std::max(reach.key_norm, key_.facts[key].norm);
      reach.value_norm = std::max(reach.value_norm, value_.facts[key].norm);
    }
  }
  reach.sink = sink(place(row).head);
  return reach;
}

bool GradientPass::sees_special(index row) const {
  if (query_.special[static_cast<std::size_t>(row)] || dout_.special[static_cast<std::size_t>(row)]) return true;
  const std::optional<double> sink = this->sink(place(row).head);
  if (sink && !std::isfinite(*sink)) return true;
  const std::span<const std::uint64_t> words = visible(row);
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::uint64_t left = words[w]; left; left &= left - 1) {
      const std::size_t key = w * keys_per_word + static_cast<std::size_t>(std::countr_zero(left));
      if (key_.special[key] || value_.special[key]) return true;
    }
  return false;
}

/// What the bias of a tile needs to know, and tells.
struct GradientPass::BiasContext {
  const GradientPass* pass;
  index first_row;
  std::span<double> scratch;
  bool* special;  ///< [16], becomes true for rows that see a bias which is not finite
};

void GradientPass::fill_biases(const void* context, index first_key, index keys, double* biases) {
  const auto& [pass, first_row, scratch, special] = *static_cast<const BiasContext*>(context);
  const auto real_keys = static_cast<std::size_t>(std::min(keys, pass->problem_.shape.keys - first_key));
  for (index lane = 0; lane < rows_per_tile; ++lane) {
    std::fill(scratch.begin(), scratch.end(), 0.0);
    if (first_row + lane < pass->rows_) {
      const Place at = pass->place(first_row + lane);
      pass->biases_.add_to({pass->batch_, at.head, at.query, first_key}, scratch.first(real_keys));
    }
    for (std::size_t key = 0; key < scratch.size(); ++key) {
      const bool finite = std::isfinite(scratch[key]);
      if (!finite) special[lane] |= bit(pass->visible(first_row + lane), first_key + static_cast<index>(key));
      biases[key * rows_per_tile + static_cast<std::size_t>(lane)] = finite ? scratch[key] : 0;
    }
  }
}

GradientTask GradientPass::task(index tile, const BiasContext& context, GradientWorkspace& work) const {
  const index first = tile * rows_per_tile;
  transpose(query_, first, work.query.get());
  transpose(dout_, first, work.dout.get());
  GradientTask task{.key = &key_,
                    .value = &value_,
                    .query = work.query.get(),
                    .dout = work.dout.get(),
                    .visible = {},
                    .kept = {},
                    .words = words(),
                    .scale = problem_.scale(),
                    .softcap = problem_.score.softcap(),
                    .sink = {},
                    .bias = biases_ ? fill_biases : nullptr,
                    .bias_context = &context};
  task.visible.fill(nothing_.data());
  task.kept.fill(nothing_.data());
  for (index lane = 0; lane < rows_per_tile; ++lane) {
    task.sink[lane] = -infinity;
    const index row = first + lane;
    if (row >= rows_ || excluded_[static_cast<std::size_t>(row)]) continue;
    task.visible[static_cast<std::size_t>(lane)] = visible(row).data();
    task.kept[static_cast<std::size_t>(lane)] = kept(row).data();
    task.sink[lane] = sink(place(row).head).value_or(-infinity);
  }
  return task;
}

void GradientPass::sum(index tile, GradientWorkspace& work) {
  const index first = tile * rows_per_tile, used = std::min(rows_per_tile, rows_ - first);
  bool special[rows_per_tile] = {};
  for (index lane = 0; lane < used; ++lane)
    excluded_[static_cast<std::size_t>(first + lane)] = sees_special(first + lane);
  GradientSums sums;
  const BiasContext context{this, first, work.biases, special};
  sum_tile(task(tile, context, work), work.block, sums);
  for (index lane = 0; lane < used; ++lane) {
    char& excluded = excluded_[static_cast<std::size_t>(first + lane)];
    excluded = excluded || special[lane];
    if (!excluded) certificates_->conclude(reach(first + lane), sums, lane, states_[static_cast<std::size_t>(tile)]);
  }
}

/// sum * factor / (1 - rate), each product of the sum and of its bound having lost 2^-1074 at most.
Certified GradientPass::finished(double sum, double bound, double factor, double terms) const {
  const double kept_share = 1 - problem_.dropout, smallest = std::numeric_limits<double>::denorm_min();
  const double value = sum * factor / kept_share;
  const double of_sum = (bound + 4 * terms * smallest) * std::fabs(factor) / kept_share * margin;
  return certified(enclosed(value, (of_sum + 4 * unit_double * std::fabs(value) + 4 * smallest) * margin),
                   problem_.output);
}

void GradientPass::differentiate_queries(index tile, GradientWorkspace& work) {
  const index first = tile * rows_per_tile, used = std::min(rows_per_tile, rows_ - first);
  std::array<index, rows_per_tile> chosen;  // the row of the truth, or -1
  for (index lane = 0; lane < rows_per_tile; ++lane) {
    chosen[static_cast<std::size_t>(lane)] = -1;
    if (lane >= used) continue;
    const index query = place(first + lane).query;
    const auto found = std::lower_bound(truth_.queries.begin(), truth_.queries.end(), query);
    if (found != truth_.queries.end() && *found == query)
      chosen[static_cast<std::size_t>(lane)] = found - truth_.queries.begin();
  }
  if (std::all_of(chosen.begin(), chosen.end(), [](index row) { return row < 0; })) return;
  const RowStates& states = states_[static_cast<std::size_t>(tile)];
  bool special[rows_per_tile] = {};
  const BiasContext context{this, first, work.biases, special};
  const GradientTask task = this->task(tile, context, work);
  std::fill_n(work.query_value.get(), key_.stride * rows_per_tile, 0.0);
  std::fill_n(work.query_bound.get(), key_.stride * rows_per_tile, 0.0);
  const double sum_error = static_cast<double>(keys_per_word + 2 + words()) * unit_double;
  for (index word = 0; word < words(); ++word) {
    if (std::all_of(task.visible.begin(), task.visible.end(), [&](auto* row) { return row[word] == 0; })) continue;
    differentiate(task, states, word, work.block);
    add_to_query(task, word, sum_error, work.block, {work.query_value.get(), work.query_bound.get()});
  }
  for (index lane = 0; lane < used; ++lane) {
    if (chosen[static_cast<std::size_t>(lane)] < 0 || states.live[lane] == 0) continue;
    for (index c = 0; c < problem_.shape.dim; ++c) {
      const auto at = static_cast<std::size_t>(c * rows_per_tile + lane);
      truth_.query.at(batch_, place(first + lane).head, chosen[static_cast<std::size_t>(lane)], c) = finished(
          work.query_value[at], work.query_bound[at], problem_.scale(), static_cast<double>(problem_.shape.keys));
    }
  }
}

void GradientPass::differentiate_keys(index word, GradientWorkspace& work, BoundedTensor* bias) {
  const auto first_chosen = std::lower_bound(truth_.keys.begin(), truth_.keys.end(), word * keys_per_word);
  const bool any_chosen = first_chosen != truth_.keys.end() && *first_chosen < (word + 1) * keys_per_word;
  if (!any_chosen && !bias) return;
  for (double* sums : {work.key_value.get(), work.key_bound.get()}) std::fill_n(sums, keys_per_word * key_.stride, 0.0);
  for (double* sums : {work.value_value.get(), work.value_bound.get()})
    std::fill_n(sums, keys_per_word * value_.stride, 0.0);
  const double sum_error = static_cast<double>(rows_per_tile + 1 + tiles()) * unit_double;
  std::uint64_t live = 0, weighed = 0;
  for (index tile = 0; tile < tiles(); ++tile) {
    const index first = tile * rows_per_tile;
    const RowStates& states = states_[static_cast<std::size_t>(tile)];
    bool special[rows_per_tile] = {};
    const BiasContext context{this, first, work.biases, special};
    std::uint64_t seen = 0;
    for (index lane = 0; lane < std::min(rows_per_tile, rows_ - first); ++lane) {
      if (excluded_[static_cast<std::size_t>(first + lane)]) continue;
      const std::uint64_t of_row = visible(first + lane)[static_cast<std::size_t>(word)];
      seen |= of_row;
      if (states.live[lane] != 0) live |= of_row;
      if (dout_.facts[static_cast<std::size_t>(first + lane)].norm > 0)
        weighed |= kept(first + lane)[static_cast<std::size_t>(word)];
    }
    if (!seen) continue;
    const GradientTask task = this->task(tile, context, work);
    differentiate(task, states, word, work.block);
    add_to_key({query_.row(first), query_.group_peak(first), query_.stride, sum_error}, work.block,
               {work.key_value.get(), work.key_bound.get()});
    add_to_value({dout_.row(first), dout_.group_peak(first), dout_.stride, sum_error}, states, work.block,
                 {work.value_value.get(), work.value_bound.get()});
    if (bias) add_bias_gradients(tile, word, work.block, *bias);
  }
  store_keys(word, live, weighed, work);
}

void GradientPass::store_keys(index word, std::uint64_t live, std::uint64_t weighed, const GradientWorkspace& work) {
  const auto terms = static_cast<double>(rows_);
  for (auto key = std::lower_bound(truth_.keys.begin(), truth_.keys.end(), word * keys_per_word);
       key != truth_.keys.end() && *key < (word + 1) * keys_per_word; ++key) {
    const index in_word = *key - word * keys_per_word, row = key - truth_.keys.begin();
    for (index c = 0; c < problem_.shape.dim && ((live >> in_word) & 1); ++c) {
      const auto at = static_cast<std::size_t>(in_word * key_.stride + c);
      truth_.key.at(batch_, kv_head_, row, c) =
          finished(work.key_value[at], work.key_bound[at], problem_.scale(), terms);
    }
    for (index c = 0; c < problem_.shape.value_dim && ((weighed >> in_word) & 1); ++c) {
      const auto at = static_cast<std::size_t>(in_word * value_.stride + c);
      truth_.value.at(batch_, kv_head_, row, c) = finished(work.value_value[at], work.value_bound[at], 1, terms);
    }
  }
}

void GradientPass::add_bias_gradients(index tile, index word, const GradientBlock& block, BoundedTensor& bias) const {
  const index first = tile * rows_per_tile;
  for (index lane = 0; lane < std::min(rows_per_tile, rows_ - first); ++lane) {
    if (states_[static_cast<std::size_t>(tile)].live[lane] == 0 || excluded_[static_cast<std::size_t>(first + lane)])
      continue;
    const Place at = place(first + lane);
    std::uint64_t seen = visible(first + lane)[static_cast<std::size_t>(word)];
    for (; seen; seen &= seen - 1) {
      const index in_word = std::countr_zero(seen);
      const auto pair = static_cast<std::size_t>(in_word * rows_per_tile + lane);
      bias.add(bias.place({batch_, at.head, at.query, word * keys_per_word + in_word}), block.bias_gradient[pair],
               block.bias_bound[pair]);
    }
  }
}

void GradientPass::add_sink_gradients(BoundedTensor& sinks) const {
  for (index row = 0; row < rows_; ++row) {
    const RowStates& states = states_[static_cast<std::size_t>(row / rows_per_tile)];
    const index lane = row % rows_per_tile;
    if (excluded_[static_cast<std::size_t>(row)] || states.live[lane] == 0) continue;
    const double p = states.sink_weight[lane], delta = states.delta[lane];
    const double error =
        p * ((states.weight_error[lane] + 4 * unit_double) * std::fabs(delta) + states.delta_error[lane]) +
        states.lost[lane];
    sinks.add(sinks.place({batch_, place(row).head, 0, 0}), -p * delta, error);
  }
}

}  // namespace attestone
