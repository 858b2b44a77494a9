// SPDX-License-Identifier: Apache-2.0
// The keys and values of one kv head as doubles, in the order in which the row tiles read them.
#pragma once

#include <cstdint>
#include <hwy/aligned_allocator.h>
#include <span>
#include <vector>

#include "reference/certified/visibility.hpp"
#include "reference/tensors.hpp"

namespace attestone {

using AlignedDoubles = hwy::AlignedFreeUniquePtr<double[]>;

AlignedDoubles zeroed_doubles(index count);

constexpr index keys_per_panel = 8;      ///< keys of one K panel, which one small matrix product takes together
constexpr index keys_per_group = 4;      ///< keys that share one bound of |v|
constexpr index channels_per_block = 8;  ///< channels of V that one small matrix product takes together

inline index round_up(index count, index multiple) { return (count + multiple - 1) / multiple * multiple; }

/// Facts about one vector of numbers which bound dot products with it.
struct VectorFacts {
  double norm = 0;           ///< at least the Euclidean norm
  int lowest_bit = 1 << 20;  ///< every element is a multiple of 2^lowest_bit
};

/// Finite elements only; an empty or zero vector has norm 0 and the default lowest bit.
VectorFacts vector_facts(std::span<const double> vector);

/// One kv head. Keys that no chosen row sees, and elements that are not finite, are held as 0: whatever stood there
/// cannot reach an answer. `keys` is padded to whole words of visibility, `channels` to whole blocks.
struct DecodedHead {
  DecodedHead(const Problem&, const Inputs&, index batch, index kv_head, std::span<const std::uint64_t> seen);

  double key_at(index k, index channel) const {
    return key[static_cast<std::size_t>((k / keys_per_panel * dim + channel) * keys_per_panel + k % keys_per_panel)];
  }
  double value_at(index k, index channel) const { return value[static_cast<std::size_t>(k * channels + channel)]; }

  index keys, dim, channels;
  AlignedDoubles key;              ///< [keys / 8][dim][8]
  AlignedDoubles value;            ///< [keys][channels]
  AlignedDoubles group_peak;       ///< [keys / 4][channels], the largest |v| of each group of keys
  std::vector<double> key_norm;    ///< [keys], at least the norm of each key
  std::vector<double> value_peak;  ///< [keys], the largest |v| of each key
  int key_lowest_bit;              ///< every element of every key is a multiple of 2^this

  bool has_special = false;                  ///< whether a seen key holds NaN or an infinity
  std::vector<std::uint64_t> special_key;    ///< bits, as in Visibility: such an element in K
  std::vector<std::uint64_t> special_value;  ///< and in V

 private:
  /// Returns the key's lowest bit.
  int store_key(index key, std::span<double> row);
  void store_value(index key, std::span<double> row);
};

/// Replaces NaN and infinities by 0; whether there were any.
bool zero_specials(std::span<double> row);

}  // namespace attestone
