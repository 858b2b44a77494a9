// SPDX-License-Identifier: Apache-2.0
// Which keys each query row sees, as bits: evaluated once per batch, shared by all heads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/problem.hpp"

namespace attestone {

/// Keys are taken 64 at a time: one word of visibility, one tile of scores.
constexpr index keys_per_word = 64;

/// The visible keys of the chosen query rows of one sequence. Bit k of word w stands for key 64 w + k; bits beyond the
/// last key are 0. Says the same as Problem::visible, which is what it is tested against.
class Visibility {
 public:
  Visibility(const Problem&, index batch, std::span<const index> queries);

  index words_per_row() const { return words_per_row_; }
  /// `row` counts the chosen queries.
  std::span<const std::uint64_t> row(index row) const {
    return {words_.data() + first_word_[static_cast<std::size_t>(row)], static_cast<std::size_t>(words_per_row_)};
  }
  /// Keys that at least one chosen row sees, in the same form.
  std::span<const std::uint64_t> seen() const { return seen_; }

 private:
  index words_per_row_;
  std::vector<std::uint64_t> words_;     ///< rows, one after the other; equal rows of a full mask share one
  std::vector<std::size_t> first_word_;  ///< of each row
  std::vector<std::uint64_t> seen_;
};

inline bool bit(std::span<const std::uint64_t> words, index key) {
  return (words[static_cast<std::size_t>(key / keys_per_word)] >> (key % keys_per_word)) & 1;
}

}  // namespace attestone
