// SPDX-License-Identifier: Apache-2.0
// Scales: what a code stands for is multiplied by a number that the elements of its block share.
#pragma once

#include "reference/tensor/tensor.hpp"

namespace attestone {

/// The scales of one tensor: element [b, h, r, c] stands for its code's number times number
/// [b / block[0], h / block[1], r / block[2], c / block[3]].
///
/// {1, 1, 1, dim} is a scale for each token of each head, {1, 1, 1, 16} NVFP4's, {batch, heads, rows, 1} one for each
/// channel.
struct Scales {
  Extents block;   ///< of a block; 1 or more
  Tensor numbers;  ///< has no scales itself
};

/// The extents of the numbers for a tensor of these extents.
Extents extents_of_scales(const Extents&, const Extents& block);

}  // namespace attestone
