// SPDX-License-Identifier: Apache-2.0
// How often a kernel that goes through the keys tile by tile raises its running maximum.
#pragma once

#include <span>
#include <vector>

#include "reference/numerics/merge_stage.hpp"
#include "reference/numerics/weight_stage.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// Scores known to lie between `lowest` and `highest`, one for each of `keys`, in ascending order. One score more than
/// keys: the sink's, a tile of its own, which a kernel may visit first or last.
struct ScoreEnclosure {
  std::span<const index> keys;
  std::span<const double> lowest, highest;
};

/// How often an online softmax may rescale what it has summed.
struct Rescalings {
  std::vector<index> later;  ///< [T_j] per key: tiles after its own that may raise the maximum
  index total = 0;           ///< tiles that may raise it at all, the first excepted
};

/// Both at their largest over the declared orders of the tiles, and over the declared kinds of parts; merges apart.
Rescalings count_rescalings(const ScoreEnclosure&, const WeightStage&, const MergeStage&);

}  // namespace attestone
