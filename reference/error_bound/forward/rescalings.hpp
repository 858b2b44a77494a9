// SPDX-License-Identifier: Apache-2.0
// How often a kernel that goes through the keys tile by tile raises its running maximum.
#pragma once

#include <span>
#include <vector>

#include "reference/floating_point_environment.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// Scores known to lie between `lowest` and `highest`; key j is in tile keys[j] / tile_keys. (tile_keys 0: one tile.)
/// One score more than keys: the sink's, a tile of its own, which a kernel may visit first or last.
struct ScoreEnclosure {
  std::span<const index> keys;
  std::span<const double> lowest, highest;
  index tile_keys;
};

/// How often an online softmax may rescale what it has summed.
struct Rescalings {
  std::vector<index> later;  ///< [T_j] per key: tiles after its own that may raise the maximum
  index total = 0;           ///< tiles that may raise it at all, the first excepted
};

/// Both at their larger value over ascending and descending order of the tiles.
Rescalings count_rescalings(const ScoreEnclosure&);

}  // namespace attestone
