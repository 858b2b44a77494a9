// SPDX-License-Identifier: Apache-2.0
// Masks, row by row, as words of bits; names are looked up once, not once per pair.
#include "reference/certified/visibility.hpp"

#include <algorithm>

#include "reference/registry.hpp"

namespace attestone {
namespace {

using Word = std::uint64_t;

/// Below this many pairs waking a second thread costs more than it saves.
constexpr index least_parallel_pairs = 100'000;

/// A mask whose rules have been looked up.
class ResolvedMask {
 public:
  explicit ResolvedMask(const Mask& mask) : kind_(mask.kind()), arguments_(mask.arguments()) {
    if (kind_ == Mask::Kind::rule) rule_ = Registry<MaskRule>::find(mask.rule());
    for (const Mask& part : mask.parts()) parts_.emplace_back(part);
  }

  /// The words of the query of `at`; bits beyond the last key are arbitrary.
  void fill(const MaskPoint& at, std::span<Word> words) const {
    if (kind_ == Mask::Kind::rule) return fill_by_rule(at, words);
    parts_.front().fill(at, words);
    if (kind_ == Mask::Kind::not_)
      for (Word& word : words) word = ~word;
    std::vector<Word> other(words.size());
    for (std::size_t part = 1; part < parts_.size(); ++part) {
      parts_[part].fill(at, other);
      for (std::size_t w = 0; w < words.size(); ++w)
        words[w] = kind_ == Mask::Kind::and_ ? words[w] & other[w] : words[w] | other[w];
    }
  }

 private:
  void fill_by_rule(MaskPoint at, std::span<Word> words) const {
    std::fill(words.begin(), words.end(), Word{0});
    for (at.pair.key = 0; at.pair.key < at.sequence.keys; ++at.pair.key)
      words[static_cast<std::size_t>(at.pair.key / keys_per_word)] |= Word{rule_->allows(at, arguments_)}
                                                                      << (at.pair.key % keys_per_word);
  }

  Mask::Kind kind_;
  std::vector<index> arguments_;
  const MaskRule* rule_ = nullptr;
  std::vector<ResolvedMask> parts_;
};

/// Ones for the keys that the sequence has.
std::vector<Word> all_keys(const Sequence& sequence, index words) {
  std::vector<Word> all(static_cast<std::size_t>(words));
  for (index w = 0; w < words; ++w) {
    const index left = std::clamp<index>(sequence.keys - w * keys_per_word, 0, keys_per_word);
    all[static_cast<std::size_t>(w)] = left == keys_per_word ? ~Word{0} : (Word{1} << left) - 1;
  }
  return all;
}

}  // namespace

Visibility::Visibility(const Problem& problem, index batch, std::span<const index> queries)
    : words_per_row_((problem.shape.keys + keys_per_word - 1) / keys_per_word) {
  const Sequence sequence = problem.sequence(batch);
  const auto width = static_cast<std::size_t>(words_per_row_);
  const std::vector<Word> all = all_keys(sequence, words_per_row_);
  const std::vector<Word> none(width, 0);
  const auto rows = static_cast<index>(queries.size());
  first_word_.resize(queries.size());
  seen_.assign(width, 0);

  if (problem.mask.is_full()) {  // two kinds of rows only: real queries and padding
    words_ = all;
    words_.insert(words_.end(), none.begin(), none.end());
    for (std::size_t r = 0; r < queries.size(); ++r) first_word_[r] = queries[r] < sequence.queries ? 0 : width;
  } else {
    words_.assign(queries.size() * width, 0);
    const ResolvedMask mask(problem.mask);
#pragma omp parallel for schedule(dynamic, 16) if (rows * problem.shape.keys >= least_parallel_pairs)
    for (index r = 0; r < rows; ++r) {
      const auto row_index = static_cast<std::size_t>(r);
      first_word_[row_index] = row_index * width;
      if (queries[row_index] >= sequence.queries) continue;
      const std::span<Word> words(words_.data() + row_index * width, width);
      mask.fill({sequence, {batch, 0, queries[row_index], 0}, problem.seed}, words);
      for (std::size_t w = 0; w < width; ++w) words[w] &= all[w];
    }
  }
  for (index r = 0; r < rows; ++r)
    for (std::size_t w = 0; w < width; ++w) seen_[w] |= row(r)[w];
}

}  // namespace attestone
