// SPDX-License-Identifier: Apache-2.0
// The query rows that read one kv head, with its keys and values: what the backward pass reads.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "reference/call/bias.hpp"
#include "reference/certified/backward/gradient_states.hpp"
#include "reference/certified/backward/gradient_tile.hpp"

namespace attestone {

class GradientRows;

/// The memory behind a GradientTask, and what its biases tell.
struct GradientTaskMemory {
  explicit GradientTaskMemory(const Shape&);
  AlignedDoubles query, dout;  ///< [dim][16], [value_dim][16]
  const GradientRows* rows = nullptr;
  index first_row = 0;
  std::array<double, keys_per_word> biases{};
  std::array<bool, rows_per_tile> special{};  ///< rows that see a bias which is not finite
};

/// Rows are those of the first query head of the group, then of the second, ... Decoded piece by piece by any threads.
class GradientRows {
 public:
  /// `queries`: the query rows that take part, of every head.
  GradientRows(const Problem&, const Inputs&, index batch, index kv_head, const Visibility&,
               std::span<const index> queries);

  index count() const { return count_; }
  index tiles() const { return (count_ + rows_per_tile - 1) / rows_per_tile; }
  index words() const { return visibility_.words_per_row(); }
  index row_words() const { return query.rows / keys_per_word; }
  void decode_keys(index word);
  /// Rows that do not take part are held as 0.
  void decode_rows(index row_word);

  /// The pair of a row and a key.
  Pair pair(index row, index at_key = 0) const;
  std::span<const std::uint64_t> visible(index row) const;
  /// Visible keys that dropout keeps.
  std::span<const std::uint64_t> kept(index row) const;
  /// The sink of a row; nothing if it is -infinity.
  std::optional<double> sink(index row) const;
  const Bias& biases() const { return bias_; }
  double bias(index row, index at_key) const { return bias_.of(pair(row, at_key)); }
  RowReach reach(index row) const;
  /// True if Q, dO, the sink, or K or V of a visible key hold NaN or an infinity.
  bool sees_special(index row) const;

  /// Excluded rows see nothing in tasks.
  bool is_excluded(index row) const { return excluded_[static_cast<std::size_t>(row)]; }
  void exclude(index row) { excluded_[static_cast<std::size_t>(row)] = true; }
  /// After the row of this lane was excluded: it sees nothing any more.
  void hide(index lane, GradientTask& task) const {
    const auto at = static_cast<std::size_t>(lane);
    task.visible[at] = task.kept[at] = nothing_.data();
  }
  GradientTask task(index tile, GradientTaskMemory&) const;

  DecodedRows key, value, query, dout;

 private:
  bool takes_part(index row) const;
  static void fill_biases(void* memory, index first_key, index keys, double* biases);

  const Problem& problem_;
  const Inputs& inputs_;
  index batch_, kv_head_, first_query_head_, count_;
  const Visibility& visibility_;
  std::span<const index> queries_;
  Bias bias_;
  Dropout dropout_;
  std::vector<std::uint64_t> kept_;     ///< [rows][words], under dropout
  std::vector<std::uint64_t> nothing_;  ///< what a lane without a row sees
  /// Facts on the keys of a word: which are special, and the largest norms.
  struct WordFacts {
    std::uint64_t special = 0;
    double key_norm = 0, value_norm = 0;
  };
  WordFacts facts_of(index word, std::uint64_t keys) const;
  std::vector<WordFacts> word_facts_;  ///< of all keys of each word
  std::vector<char> excluded_;         ///< [rows]
};

}  // namespace attestone
