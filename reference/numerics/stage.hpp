// SPDX-License-Identifier: Apache-2.0
// The common part of a kernel's stages: sums in a format of their own. And a rounding to a narrower format.
#pragma once

namespace attestone {

/// Where the products and sums of one stage are added up.
struct Accumulator {
  double roundoff = 0;     ///< [u] of each operation
  bool truncates = false;  ///< sums round toward zero; `roundoff` is then doubled already
  double largest = 0;      ///< the largest finite number
  /// [eta] absolute error of one operation that leaves the normal range, and of reading an operand below it. The
  /// smallest normal number of f32: flushing to zero is allowed.
  double underflow = 0x1p-126;
};

/// Rounding to a narrower format. A roundoff of 0 means that the step does not occur.
struct Cast {
  double roundoff = 0;         ///< [u]
  double underflow = 0;        ///< [eta] absolute error below the normal range
  double largest = 0;          ///< the largest finite number
  double smallest_normal = 0;  ///< where the normal range begins
};

/// Rounding a row of K or V, before anything is computed with it, to codes that share a scale:
/// |x' - x| <= roundoff |x| + of_largest max |row| + underflow, and 0 stays 0.
struct RowCast {
  double roundoff = 0;    ///< [rho]
  double of_largest = 0;  ///< [kappa]
  double underflow = 0;   ///< [eta_row]

  bool happens() const { return roundoff > 0 || of_largest > 0 || underflow > 0; }
};

/// The common part of all stages of a kernel.
struct Stage {
  Accumulator accumulator;
};

/// In which order tiles of keys, or parts of a row, are visited. Later ones allow whatever earlier ones allow.
enum class Visits {
  ascending,
  descending,
  either_way,  ///< the first or the second
  rotated,     ///< from anywhere to one end, then from the other end on
  two_ended,   ///< from anywhere outwards, in turn to both ends
  any,
};

}  // namespace attestone
