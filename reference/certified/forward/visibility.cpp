// SPDX-License-Identifier: Apache-2.0
// Masks, row by row, as words of bits; names are looked up once, not once per pair.
#include "reference/certified/forward/visibility.hpp"

#include <algorithm>
#include <bit>
#include <limits>

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

/// Calls take(bit) for every set bit, ascending.
template <class Take>
void for_each_bit(Word word, Take take) {
  for (; word; word &= word - 1) take(std::countr_zero(word));
}

/// True if heads of one sequence may see different keys.
bool differs_by_head(const Problem& problem) {
  const auto kind = problem.score.bias_tensor();
  return problem.mask.differs_by_head() || (kind && (*kind == "full" || *kind == "head"));
}

}  // namespace

Visibility::Visibility(const Problem& problem, const Inputs& inputs, index batch, std::span<const index> queries)
    : words_per_row_((problem.shape.keys + keys_per_word - 1) / keys_per_word),
      heads_(differs_by_head(problem) ? problem.shape.heads : 1),
      rows_(static_cast<index>(queries.size())) {
  const Sequence sequence = problem.sequence(batch);
  const auto width = static_cast<std::size_t>(words_per_row_);
  const std::vector<Word> all = all_keys(sequence, words_per_row_);
  first_word_.resize(static_cast<std::size_t>(heads_ * rows_));
  if (problem.mask.is_full() && !problem.score.bias_tensor()) {  // two kinds of rows only: real queries and padding
    words_ = all;
    words_.resize(2 * width, 0);
    for (std::size_t r = 0; r < queries.size(); ++r) first_word_[r] = queries[r] < sequence.queries ? 0 : width;
  } else {
    fill_rows(problem, batch, queries, all);
    if (problem.score.bias_tensor()) hide_by_bias(Bias(problem, inputs), problem, batch, queries);
  }
  note_seen(problem.shape);
}

void Visibility::fill_rows(const Problem& problem, index batch, std::span<const index> queries,
                           std::span<const Word> all) {
  const Sequence sequence = problem.sequence(batch);
  const auto width = static_cast<std::size_t>(words_per_row_);
  const ResolvedMask mask(problem.mask);
  words_.assign(first_word_.size() * width, 0);
#pragma omp parallel if (heads_ * rows_ * problem.shape.keys >= least_parallel_pairs)
  {
    const DefaultFloatingPoint environment;  // of this thread of the team
#pragma omp for schedule(dynamic, 16)
    for (index place = 0; place < heads_ * rows_; ++place) {
      const auto at = static_cast<std::size_t>(place);
      first_word_[at] = at * width;
      const index query = queries[static_cast<std::size_t>(place % rows_)];
      if (query >= sequence.queries) continue;
      const std::span<Word> words(words_.data() + at * width, width);
      mask.fill({sequence, {batch, place / rows_, query, 0}, problem.seed}, words);
      for (std::size_t w = 0; w < width; ++w) words[w] &= all[w];
    }
  }
}

void Visibility::hide_by_bias(const Bias& bias, const Problem& problem, index batch, std::span<const index> queries) {
#pragma omp parallel if (heads_ * rows_ * problem.shape.keys >= least_parallel_pairs)
  {
    const DefaultFloatingPoint environment;  // of this thread of the team
#pragma omp for schedule(dynamic, 16)
    for (index place = 0; place < heads_ * rows_; ++place) {
      Word* words = words_.data() + first_word_[static_cast<std::size_t>(place)];
      Pair pair{batch, place / rows_, queries[static_cast<std::size_t>(place % rows_)], 0};
      for (index w = 0; w < words_per_row_; ++w)
        for_each_bit(words[w], [&, seen = words + w](int key) {
          pair.key = w * keys_per_word + key;
          if (bias.of(pair) == -std::numeric_limits<double>::infinity()) *seen &= ~(Word{1} << key);
        });
    }
  }
}

void Visibility::note_seen(const Shape& shape) {
  seen_.assign(static_cast<std::size_t>(heads_ == 1 ? 1 : shape.kv_heads),
               std::vector<Word>(static_cast<std::size_t>(words_per_row_), 0));
  for (index head = 0; head < heads_; ++head) {
    std::vector<Word>& seen = seen_[heads_ == 1 ? 0 : static_cast<std::size_t>(shape.kv_head(head))];
    for (index r = 0; r < rows_; ++r)
      for (std::size_t w = 0; w < seen.size(); ++w) seen[w] |= row(head, r)[w];
  }
}

void keep_pairs(const Dropout& dropout, Pair row, std::span<const Word> visible, std::span<Word> kept) {
  std::copy(visible.begin(), visible.end(), kept.begin());
  if (!dropout) return;
  for (std::size_t w = 0; w < visible.size(); ++w)
    for_each_bit(visible[w], [&](int key) {
      row.key = static_cast<index>(w) * keys_per_word + key;
      if (!dropout.keeps(row)) kept[w] &= ~(Word{1} << key);
    });
}

}  // namespace attestone
