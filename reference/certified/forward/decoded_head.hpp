// SPDX-License-Identifier: Apache-2.0
// The keys and values of one kv head as doubles, in the order in which the row tiles read them.
#pragma once

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
  double value_at(index k, index channel) const { return value[static_cast<std::size_t>(k * channels + channel)]; }

  index keys, dim, channels;
  AlignedDoubles key;              ///< [keys][dim]
  AlignedDoubles value;            ///< [keys][channels]
  AlignedDoubles group_peak;       ///< [keys / 4][channels], the largest |v| of each group of keys
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
  void store_value(index k, WordFacts&);

  RowReader key_reader_, value_reader_;
  index batch_, kv_head_, value_dim_;
};

}  // namespace attestone
