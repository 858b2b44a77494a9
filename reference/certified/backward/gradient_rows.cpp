// SPDX-License-Identifier: Apache-2.0
// Reading inputs, bits and biases for tiles of rows.
#include "reference/certified/backward/gradient_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// out[channel][16] = the sixteen rows from first_row on.
void transpose(const DecodedRows& rows, index first_row, double* out) {
  for (index c = 0; c < rows.columns; ++c)
    for (index lane = 0; lane < rows_per_tile; ++lane) out[c * rows_per_tile + lane] = *rows.at(first_row + lane, c);
}

}  // namespace

GradientTaskMemory::GradientTaskMemory(const Shape& shape)
    : query(uninitialised_doubles(shape.dim * rows_per_tile)),
      dout(uninitialised_doubles(shape.value_dim * rows_per_tile)) {}

GradientRows::GradientRows(const Problem& problem, const Inputs& inputs, index batch, index kv_head,
                           const Visibility& visibility, std::span<const index> queries)
    : key(problem.shape.keys, problem.shape.dim),
      value(problem.shape.keys, problem.shape.value_dim),
      query(problem.shape.heads / problem.shape.kv_heads * std::ssize(queries), problem.shape.dim),
      dout(problem.shape.heads / problem.shape.kv_heads * std::ssize(queries), problem.shape.value_dim),
      problem_(problem),
      inputs_(inputs),
      batch_(batch),
      kv_head_(kv_head),
      first_query_head_(kv_head * (problem.shape.heads / problem.shape.kv_heads)),
      count_(problem.shape.heads / problem.shape.kv_heads * std::ssize(queries)),
      visibility_(visibility),
      queries_(queries),
      bias_(problem, inputs),
      dropout_(problem),
      kept_(dropout_ ? static_cast<std::size_t>(count_ * words()) : 0),
      nothing_(static_cast<std::size_t>(words())),
      word_facts_(static_cast<std::size_t>(words())),
      excluded_(static_cast<std::size_t>(count_)) {}

Pair GradientRows::pair(index row, index at_key) const {
  const auto queries = std::ssize(queries_);
  return {batch_, first_query_head_ + row / queries, queries_[static_cast<std::size_t>(row % queries)], at_key};
}

std::span<const std::uint64_t> GradientRows::visible(index row) const {
  const auto queries = std::ssize(queries_);
  return visibility_.row(first_query_head_ + row / queries, row % queries);
}

std::span<const std::uint64_t> GradientRows::kept(index row) const {
  if (!dropout_) return visible(row);
  return std::span(kept_).subspan(static_cast<std::size_t>(row * words()), static_cast<std::size_t>(words()));
}

std::optional<double> GradientRows::sink(index row) const {
  if (!inputs_.sink) return std::nullopt;
  const double sink = inputs_.sink->view().value(0, pair(row).head, 0, 0);
  return sink == -infinity ? std::nullopt : std::optional(sink);
}

void GradientRows::decode_keys(index word) {
  const RowReader keys(inputs_.key.view()), values(inputs_.value.view());
  std::uint64_t seen = visibility_.seen(kv_head_)[static_cast<std::size_t>(word)];
  for (; seen; seen &= seen - 1) {
    const index k = word * keys_per_word + std::countr_zero(seen);
    key.decode(keys, batch_, kv_head_, k, k);
    value.decode(values, batch_, kv_head_, k, k);
  }
  key.conclude(word * keys_per_word);
  value.conclude(word * keys_per_word);
  word_facts_[static_cast<std::size_t>(word)] = facts_of(word, ~std::uint64_t{0});
}

GradientRows::WordFacts GradientRows::facts_of(index word, std::uint64_t keys) const {
  WordFacts facts;
  for (; keys; keys &= keys - 1) {
    const auto k = static_cast<std::size_t>(word * keys_per_word + std::countr_zero(keys));
    if (key.special[k] || value.special[k]) facts.special |= keys & -keys;
    facts.key_norm = std::max(facts.key_norm, key.facts[k].norm);
    facts.value_norm = std::max(facts.value_norm, value.facts[k].norm);
  }
  return facts;
}

/// A row that sees no key still has dO, which kernels may multiply by its weights of 0; one of padding has nothing.
bool GradientRows::takes_part(index row) const { return pair(row).query < problem_.sequence(batch_).queries; }

void GradientRows::decode_rows(index row_word) {
  const RowReader queries(inputs_.query.view()), douts(inputs_.dout->view());
  const index first = row_word * keys_per_word;
  const auto width = static_cast<std::size_t>(words());
  for (index row = first; row < std::min(first + keys_per_word, count_); ++row) {
    const Pair at = pair(row);
    if (!takes_part(row)) continue;
    query.decode(queries, batch_, at.head, at.query, row);
    dout.decode(douts, batch_, at.head, at.query, row);
    if (dropout_)
      keep_pairs(dropout_, at, visible(row), std::span(kept_).subspan(static_cast<std::size_t>(row) * width, width));
  }
  query.conclude(first);
  dout.conclude(first);
}

RowReach GradientRows::reach(index row) const {
  RowReach reach;
  reach.query = query.facts[static_cast<std::size_t>(row)];
  reach.dout = dout.facts[static_cast<std::size_t>(row)];
  const std::span<const std::uint64_t> words = visible(row);
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (words[w] == 0) continue;
    ++reach.words;
    reach.keys += std::popcount(words[w]);
    const WordFacts facts = ~words[w] == 0 ? word_facts_[w] : facts_of(static_cast<index>(w), words[w]);
    reach.key_norm = std::max(reach.key_norm, facts.key_norm);
    reach.value_norm = std::max(reach.value_norm, facts.value_norm);
  }
  reach.sink = sink(row);
  return reach;
}

bool GradientRows::sees_special(index row) const {
  bool found = query.special[static_cast<std::size_t>(row)] || dout.special[static_cast<std::size_t>(row)];
  found = found || !std::isfinite(sink(row).value_or(0));
  const std::span<const std::uint64_t> words = visible(row);
  for (std::size_t w = 0; w < words.size(); ++w) found = found || (words[w] & word_facts_[w].special) != 0;
  return found;
}

void GradientRows::fill_biases(void* memory, index first_key, index keys, double* biases) {
  auto& work = *static_cast<GradientTaskMemory*>(memory);
  const GradientRows& rows = *work.rows;
  const auto real_keys = static_cast<std::size_t>(std::min(keys, rows.problem_.shape.keys - first_key));
  for (index lane = 0; lane < rows_per_tile; ++lane) {
    const index row = work.first_row + lane;
    work.biases.fill(0);
    if (row < rows.count_) rows.bias_.add_to(rows.pair(row, first_key), std::span(work.biases).first(real_keys));
    for (std::size_t k = 0; k < work.biases.size(); ++k) {
      const bool finite = std::isfinite(work.biases[k]);
      if (!finite && bit(rows.visible(row), first_key + static_cast<index>(k)))
        work.special[static_cast<std::size_t>(lane)] = true;
      biases[k * rows_per_tile + static_cast<std::size_t>(lane)] = finite ? work.biases[k] : 0;
    }
  }
}

GradientTask GradientRows::task(index tile, GradientTaskMemory& memory) const {
  memory.rows = this;
  memory.first_row = tile * rows_per_tile;
  memory.special.fill(false);
  transpose(query, memory.first_row, memory.query.get());
  transpose(dout, memory.first_row, memory.dout.get());
  GradientTask task{.key = &key,
                    .value = &value,
                    .query = memory.query.get(),
                    .dout = memory.dout.get(),
                    .visible = {},
                    .kept = {},
                    .words = words(),
                    .scale = problem_.scale(),
                    .softcap = problem_.score.softcap(),
                    .sink = {},
                    .bias = bias_ ? fill_biases : nullptr,
                    .bias_context = &memory};
  task.visible.fill(nothing_.data());
  task.kept.fill(nothing_.data());
  for (index lane = 0; lane < rows_per_tile; ++lane) {
    task.sink[lane] = -infinity;
    const index row = memory.first_row + lane;
    if (row >= count_ || is_excluded(row)) continue;
    task.visible[static_cast<std::size_t>(lane)] = visible(row).data();
    task.kept[static_cast<std::size_t>(lane)] = kept(row).data();
    task.sink[lane] = sink(row).value_or(-infinity);
  }
  return task;
}

}  // namespace attestone
