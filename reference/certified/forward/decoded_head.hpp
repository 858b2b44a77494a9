// SPDX-License-Identifier: Apache-2.0
// The keys and values of one kv head as doubles, in the order in which the row tiles read them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/certified/forward/row_facts.hpp"
#include "reference/certified/forward/tile_extents.hpp"
#include "reference/certified/numbers/scratch.hpp"
#include "reference/row_reader.hpp"
#include "reference/tensors.hpp"

namespace attestone {

/// One kv head. Keys that no chosen row sees, and elements that are not finite, are held as 0: whatever stood there
/// cannot reach an answer. `keys` and `channels` are padded to whole blocks.
///
/// Filled word by word of visibility, each by any thread, and then concluded.
struct DecodedHead {
  DecodedHead(const Problem&, const Inputs&, index batch, index kv_head);
  void decode_word(index word, std::uint64_t seen);
  void conclude();

  double key_at(index k, index channel) const { return key[static_cast<std::size_t>(k * dim + channel)]; }
  double value_at(index k, index channel) const {
    const double* of_block = values(k / keys_per_word, channel / channels_per_block);
    return of_block[k % keys_per_word * channels_per_block + channel % channels_per_block];
  }
  index keys_of(index word) const { return std::min(keys_per_word, keys - word * keys_per_word); }
  /// V of a word, one block of channels: [keys_of(word)][8].
  const double* values(index word, index block) const { return value.get() + block_place(word, block); }
  /// [keys_of(word) / 4][8], the largest |v| of each group of keys.
  const double* group_peaks(index word, index block) const {
    return group_peak.get() + block_place(word, block) / keys_per_group;
  }

  index keys, dim, channels;
  AlignedDoubles key;              ///< [keys][dim]
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
  void store_key(index k, WordFacts&);
  /// Row k of V; raises peaks[channel] to at least its magnitudes.
  void read_value(index k, std::span<double> row, std::span<double> peaks, WordFacts&);
  index block_place(index word, index block) const {
    return word * keys_per_word * channels + block * channels_per_block * keys_of(word);
  }

  RowReader key_reader_, value_reader_;
  index batch_, kv_head_, value_dim_;
};

}  // namespace attestone
