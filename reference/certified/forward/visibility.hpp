// SPDX-License-Identifier: Apache-2.0
// Which keys each query row sees, as bits: evaluated once per batch, and shared by all heads that see the same.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"
#include "reference/problem/problem.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// Keys are taken 64 at a time: one word of visibility, one tile of scores.
constexpr index keys_per_word = 64;

/// The visible keys of the chosen query rows of one sequence: by mask, lengths, and biases of -infinity. Bit k of word
/// w stands for key 64 w + k; bits beyond the last key are 0. Says the same as VisiblePairs, which is what it is tested
/// against.
class Visibility {
 public:
  Visibility(const Problem&, const Inputs&, index batch, std::span<const index> queries);

  index words_per_row() const { return words_per_row_; }
  /// `row` counts the chosen queries.
  std::span<const std::uint64_t> row(index head, index row) const {
    const auto place = static_cast<std::size_t>((heads_ == 1 ? 0 : head) * rows_ + row);
    return {words_.data() + first_word_[place], static_cast<std::size_t>(words_per_row_)};
  }
  /// Keys that at least one chosen row sees in a query head of this kv head, in the same form.
  std::span<const std::uint64_t> seen(index kv_head) const {
    return seen_[seen_.size() == 1 ? 0 : static_cast<std::size_t>(kv_head)];
  }

 private:
  void fill_rows(const Problem&, index batch, std::span<const index> queries, std::span<const std::uint64_t> all);
  void hide_by_bias(const Bias&, const Problem&, index batch, std::span<const index> queries);
  void note_seen(const Shape&);

  index words_per_row_, heads_, rows_;
  std::vector<std::uint64_t> words_;     ///< heads, rows, one after the other; equal rows of a full mask share one
  std::vector<std::size_t> first_word_;  ///< of each row of each head
  std::vector<std::vector<std::uint64_t>> seen_;
};

inline bool bit(std::span<const std::uint64_t> words, index key) {
  return (words[static_cast<std::size_t>(key / keys_per_word)] >> (key % keys_per_word)) & 1;
}

/// Calls take(key) for every key of a row, ascending.
template <class Take>
void for_each_key(std::span<const std::uint64_t> words, Take take) {
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::uint64_t left = words[w]; left; left &= left - 1)
      take(static_cast<index>(w) * keys_per_word + std::countr_zero(left));
}

/// kept = the pairs of `visible` that dropout keeps, `row` being their row; a copy without dropout.
void keep_pairs(const Dropout&, Pair row, std::span<const std::uint64_t> visible, std::span<std::uint64_t> kept);

}  // namespace attestone
