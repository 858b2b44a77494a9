// SPDX-License-Identifier: Apache-2.0
// Widening one kv head to doubles, once, and noting the facts that its bounds need.
#include "reference/certified/forward/decoded_head.hpp"

#include <algorithm>

namespace attestone {

DecodedHead::DecodedHead(const Problem& problem, const Inputs& inputs, index batch, index kv_head)
    : keys(round_up(problem.shape.keys, key_multiple)),
      dim(problem.shape.dim),
      channels(round_up(problem.shape.value_dim, channel_multiple)),
      key(uninitialised_doubles(keys * dim)),
      value(uninitialised_doubles(keys * channels)),
      group_peak(uninitialised_doubles(keys / keys_per_group * channels)),
      key_norm(static_cast<std::size_t>(keys)),
      value_peak(static_cast<std::size_t>(keys)),
      word_facts(static_cast<std::size_t>(round_up(keys, keys_per_word) / keys_per_word)),
      special_key(word_facts.size()),
      special_value(word_facts.size()),
      key_reader_(inputs.key.view()),
      value_reader_(inputs.value.view()),
      batch_(batch),
      kv_head_(kv_head),
      value_dim_(problem.shape.value_dim) {}

void DecodedHead::decode_word(index word, std::uint64_t seen) {
  const index first = word * keys_per_word, last = first + keys_of(word);
  const AlignedDoubles memory = uninitialised_doubles(2 * channels), key_memory = uninitialised_doubles(dim);
  const std::span<double> key_row(key_memory.get(), static_cast<std::size_t>(dim));
  const std::span<double> row(memory.get(), static_cast<std::size_t>(channels));
  const std::span<double> peaks(memory.get() + channels, row.size());  // of the group of keys so far
  WordFacts facts;  // written once at the end: other threads write to its neighbours
  for (index k = first; k < last; ++k) {
    if (k % keys_per_group == 0) std::fill(peaks.begin(), peaks.end(), 0.0);
    if ((seen >> (k - first)) & 1) {
      read_key(k, key_row, facts);
      read_value(k, row, peaks, facts);
    } else {
      std::fill(key_row.begin(), key_row.end(), 0.0);
      std::fill(row.begin(), row.end(), 0.0);
    }
    const auto [key_first, key_step] = this->key_row(k);
    double* to = key.get() + (key_first - key.get());
    for (index c = 0; c < dim; ++c) to[c * key_step] = key_row[static_cast<std::size_t>(c)];
    store_value(k, row, peaks);
  }
  word_facts[static_cast<std::size_t>(word)] = facts;
}

void DecodedHead::store_value(index k, std::span<const double> row, std::span<const double> peaks) {
  const index word = k / keys_per_word, group = k / keys_per_group, stretch = group / groups_per_stretch;
  const bool ends_group = k % keys_per_group == keys_per_group - 1;
  for (index c = 0; c < channels; c += channels_per_block) {
    const index width = this->width(c), value_at = values(word, c) - value.get() + k % keys_per_word * width;
    std::copy_n(row.data() + c, width, value.get() + value_at);
    if (!ends_group) continue;
    const index peak_at = group_peaks(stretch, c) - group_peak.get() + group % groups_per_stretch * width;
    std::copy_n(peaks.data() + c, width, group_peak.get() + peak_at);
  }
}

void DecodedHead::read_key(index k, std::span<double> row, WordFacts& facts) {
  key_reader_.read(batch_, kv_head_, k, row);
  bool special = false;
  const VectorFacts of_row = cleaned_facts(row, special);
  if (special) special_key[static_cast<std::size_t>(k / keys_per_word)] |= std::uint64_t{1} << (k % keys_per_word);
  key_norm[static_cast<std::size_t>(k)] = of_row.norm;
  facts.key_norm = std::max(facts.key_norm, of_row.norm);
  facts.key_lowest_bit = std::min(facts.key_lowest_bit, of_row.lowest_bit);
}

void DecodedHead::read_value(index k, std::span<double> row, std::span<double> peaks, WordFacts& facts) {
  value_reader_.read(batch_, kv_head_, k, row.first(static_cast<std::size_t>(value_dim_)));
  std::fill(row.begin() + value_dim_, row.end(), 0.0);
  const ValueFacts of_row = cleaned_value_facts(row, peaks.data());
  if (of_row.special)
    special_value[static_cast<std::size_t>(k / keys_per_word)] |= std::uint64_t{1} << (k % keys_per_word);
  value_peak[static_cast<std::size_t>(k)] = of_row.peak;
  facts.value_peak = std::max(facts.value_peak, of_row.peak);
}

void DecodedHead::conclude() {
  key_lowest_bit = VectorFacts().lowest_bit;
  for (const WordFacts& facts : word_facts) key_lowest_bit = std::min(key_lowest_bit, facts.key_lowest_bit);
  const auto any = [](const std::vector<std::uint64_t>& words) {
    return std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; });
  };
  has_special = any(special_key) || any(special_value);
}

}  // namespace attestone
