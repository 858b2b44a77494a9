// SPDX-License-Identifier: Apache-2.0
// What a kernel takes the exponential of, as far as its tiling is known.
#pragma once

#include <vector>

#include "reference/error_bound/forward/row_scores.hpp"

namespace attestone {

/// Candidates for s_j - (running maximum at key j), up to a constant, in the order of the keys. The first is s_j
/// itself: one maximum for all. Others follow where a trend in the scores raises the maximum so often that equal
/// exponents in different tiles could matter: for both orders of the declared tiles, or of tiles of usual sizes if any
/// are allowed.
std::vector<std::vector<double>> possible_exponents(const RowScores&, index tile_keys);

}  // namespace attestone
