// SPDX-License-Identifier: Apache-2.0
// The backward pass: dP, delta, dS and the sums over rows and keys.
#pragma once

#include <algorithm>

#include "reference/numerics/stage.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// Gradients of parts are added in this stage's accumulator and need no merge of their own. What some queries, or some
/// heads, give to dK and dV may be stored before more is added.
struct GradientStage : Stage {
  double operand_roundoff = 0;         ///< [u_in] operands are rounded again before a product
  Cast stored;                         ///< [u_dP] of dP, where it is stored before delta is taken from it
  Cast weight;                         ///< [u_W] of P before its product with dP - delta
  Cast cast;                           ///< [u_dS] of dS before the products with K and Q
  bool delta_from_rounded_out = true;  ///< delta = sum dO O reads O as it was stored; else as it was accumulated
  Cast part;                           ///< [u_part] of sums of dK and dV, wherever they are stored before the last one
  index parts = 1;                     ///< that an element of dK or dV is added up from, at most
  index depth = 0;  ///< how often what a part adds up to is stored, at most; 0: parts times, one after another

  index storages() const { return parts < 2 ? 0 : depth == 0 ? parts : std::min(depth, parts); }
};

}  // namespace attestone
