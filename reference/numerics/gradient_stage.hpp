// SPDX-License-Identifier: Apache-2.0
// The backward pass: dP, delta, dS and the sums over rows and keys.
#pragma once

#include "reference/numerics/stage.hpp"

namespace attestone {

/// Gradients of parts of a row are added in this stage's accumulator; they need no merge of their own.
struct GradientStage : Stage {
  double operand_roundoff = 0;         ///< [u_in] operands are rounded again before a product
  Cast cast;                           ///< [u_dS] of dS before the products with K and Q
  bool delta_from_rounded_out = true;  ///< delta = sum dO O reads O as it was stored; else as it was accumulated
};

}  // namespace attestone
