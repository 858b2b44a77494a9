// SPDX-License-Identifier: Apache-2.0
// The keys and values of one kv head as doubles, in the order in which the row tiles read them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/call/tensors.hpp"
#include "reference/certified/forward/row_facts.hpp"
#include "reference/certified/forward/tile_extents.hpp"
#include "reference/certified/numbers/scratch.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {

/// One kv head. Keys that no chosen row sees, and elements that are not finite, are held as 0: whatever stood there
/// cannot reach an answer. `keys` and `channels` are padded to whole blocks.
///
/// Filled word by word of visibility, each by any thread, and then concluded.
struct DecodedHead {
  DecodedHead(const Problem&, const Inputs&, index batch, index kv_head);
  void decode_word(index word, std::uint64_t seen);
  void conclude();

  /// The channels of one key, `step` apart.
  struct KeyRow {
    const double* first;
    index step;
    double operator[](index channel) const { return first[channel * step]; }
  };
  KeyRow key_row(index k) const {
    const index word = k / keys_per_word, in_word = k % keys_per_word, block = in_word / keys_per_block;
    const index width = std::min(keys_per_block, keys_of(word) - block * keys_per_block);
    return {keys_of_block(word, block) + in_word % keys_per_block, width};
  }
  double key_at(index k, index channel) const { return key_row(k)[channel]; }
  /// K of a word, keys_per_block keys, or what remains of the word: [dim][keys].
  const double* keys_of_block(index word, index block) const {
    return key.get() + (word * keys_per_word + block * keys_per_block) * dim;
  }
  double value_at(index k, index channel) const {
    const index first = channel / channels_per_block * channels_per_block;
    return values(k / keys_per_word, first)[k % keys_per_word * width(first) + channel - first];
  }
  index keys_of(index word) const { return std::min(keys_per_word, keys - word * keys_per_word); }
  /// Channels of the block that begins with channel `first`.
  index width(index first) const { return std::min(channels_per_block, channels - first); }
  /// V of a word, the block of channels that begins with `first`: [keys_of(word)][width(first)].
  const double* values(index word, index first) const {
    return value.get() + word * keys_per_word * channels + first * keys_of(word);
  }
  /// Groups of keys of the words of a stretch.
  index groups_of(index stretch) const {
    return std::min(groups_per_stretch, keys / keys_per_group - stretch * groups_per_stretch);
  }
  /// The largest |v| of each group of keys of a stretch, in the same block: [groups_of(stretch)][width(first)].
  const double* group_peaks(index stretch, index first) const {
    return group_peak.get() + stretch * groups_per_stretch * channels + first * groups_of(stretch);
  }

  index keys, dim, channels;
  AlignedDoubles key;              ///< see keys_of_block()
  AlignedDoubles value;            ///< see values()
  AlignedDoubles group_peak;       ///< see group_peaks()
  std::vector<double> key_norm;    ///< [keys], at least the norm of each key
  std::vector<double> value_peak;  ///< [keys], the largest |v| of each key

  /// The largest key_norm and value_peak of each word, and what every element of its keys is a multiple of.
  struct WordFacts {
    double key_norm = 0, value_peak = 0;
    int key_lowest_bit = VectorFacts().lowest_bit;
  };
  std::vector<WordFacts> word_facts;
  std::vector<std::uint64_t> special_key;    ///< bits, as in Visibility: NaN or an infinity in a seen key
  std::vector<std::uint64_t> special_value;  ///< and in V

  // After conclude():
  int key_lowest_bit = 0;    ///< every element of every key is a multiple of 2^this
  bool has_special = false;  ///< whether a seen key holds NaN or an infinity

 private:
  /// Row k of K.
  void read_key(index k, std::span<double> row, WordFacts&);
  /// Row k of V; raises peaks[channel] to at least its magnitudes.
  void read_value(index k, std::span<double> row, std::span<double> peaks, WordFacts&);
  /// Where key k of V and the group of keys that ends with it go.
  void store_value(index k, std::span<const double> row, std::span<const double> peaks);

  RowReader key_reader_, value_reader_;
  index batch_, kv_head_, value_dim_;
};

}  // namespace attestone
