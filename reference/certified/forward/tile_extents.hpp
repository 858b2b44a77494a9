// SPDX-License-Identifier: Apache-2.0
// How many rows, keys and channels the blocked kernels take at a time.
#pragma once

#include "reference/certified/forward/visibility.hpp"

namespace attestone {

constexpr index rows_per_tile = 16;
/// Tiles that walk over the keys together: K and V of a word are fetched once for all of them.
constexpr index tiles_at_once = 16;
/// Channels that a dot product sums before it starts afresh: short chains keep its error small.
constexpr index channels_per_chunk = 16;
constexpr index keys_per_group = 4;  ///< keys that share one bound of |v|
/// Words whose bounds of |v| are added up together: as many groups of keys as a word has keys.
constexpr index words_per_stretch = keys_per_group;
constexpr index groups_per_stretch = words_per_stretch * keys_per_word / keys_per_group;
constexpr index key_multiple = 8;      ///< keys are padded to a multiple of this,
constexpr index channel_multiple = 8;  ///< and channels of V to one of this
constexpr index keys_per_block = 12;   ///< keys that lie together, for one product; fewer in the last block of a word
constexpr index channels_per_block = 12;  ///< channels of V that lie together, for one product; fewer in the last block

inline index round_up(index count, index multiple) { return (count + multiple - 1) / multiple * multiple; }

}  // namespace attestone
