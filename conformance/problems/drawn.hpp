// SPDX-License-Identifier: Apache-2.0
// Registered masks and biases with random arguments.
#pragma once

#include <vector>

#include "reference/masks/mask.hpp"
#include "reference/scores/score.hpp"

namespace attestone::inline conformance {

/// The rule with arguments that are drawn in each of its ways: one mask if it has none of its own.
std::vector<Mask> drawn_masks(const MaskRule&, Draws&, const Shape&);

ScoreTerm drawn_bias(const BiasRule&, Draws&);

}  // namespace attestone::inline conformance
