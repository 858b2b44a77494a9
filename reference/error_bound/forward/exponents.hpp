// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel's exponentials, as far as its tiling is known.
#pragma once

#include <vector>

#include "reference/error_bound/forward/row_scores.hpp"
#include "reference/numerics/numerics.hpp"

namespace attestone {

/// Candidates for s_j - (running maximum at key j), up to a constant, in the order of the keys. The first is s_j
/// itself: one maximum for all. Others follow where a trend in the scores raises the maximum so often that equal
/// exponents in different tiles could matter: for both orders of the declared tiles, or of tiles of usual sizes if any
/// are allowed.
std::vector<std::vector<double>> possible_exponents(const RowScores&, index tile_keys);

/// The factor of quadrature over one of these orders, because the same exponents may recur: in each of r parts
/// of a row, or in r stretches between two raises of the maximum in an order that is none of these. sqrt(r) by
/// Cauchy-Schwarz; 1 for one part in these orders.
double exponents_recur(const RowScores&, const WeightStage&, const MergeStage&);

}  // namespace attestone
