// SPDX-License-Identifier: Apache-2.0
// How many rows, keys and channels the blocked kernels take at a time.
#pragma once

#include "reference/certified/forward/visibility.hpp"

namespace attestone {

constexpr index rows_per_tile = 16;
/// Tiles that walk over the keys together: K and V of a word are fetched once for all of them.
constexpr index tiles_at_once = 4;
/// Channels that a dot product sums before it starts afresh: short chains keep its error small.
constexpr index channels_per_chunk = 16;
constexpr index keys_per_block = 8;      ///< keys that one small matrix product takes together
constexpr index keys_per_group = 4;      ///< keys that share one bound of |v|
constexpr index channels_per_block = 8;  ///< channels of V that one small matrix product takes together

inline index round_up(index count, index multiple) { return (count + multiple - 1) / multiple * multiple; }

}  // namespace attestone
