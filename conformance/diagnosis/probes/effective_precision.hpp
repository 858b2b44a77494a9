// SPDX-License-Identifier: Apache-2.0
// The precision read-out: how many bits a kernel effectively keeps, whatever it declares.
#pragma once

#include <optional>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// Significant bits; all_bits where no loss shows.
struct PrecisionReadOut {
  static constexpr int all_bits = 22;
  int operands;  ///< of Q and K when they are multiplied
  int scores;    ///< of the sum q.k, and of the score that is made of it
  int weights;   ///< of a weight when it meets V
  int values;    ///< of the sum of weighted V

  bool operator==(const PrecisionReadOut&) const = default;
};

/// From inputs on which everything but one step is exact or too small to matter, so that the length of a row does not
/// matter: operands 1 + 2^-m, scores 2^m + 1 of two products, the ratio of two weights, and V = 1 beside V = 2^-m.
///
/// Bits are said only if what is lost is lost as rounding loses it: steps show up to some m, and beyond it vanish or
/// jump by a spacing; weights are numbers of so many bits, each next to the right one; and two places of the problem
/// tell the same. Nothing otherwise, if the formats are narrower than f32, if no query sees two keys, or with one
/// channel, a softcap, a bias, a sink or dropout.
std::optional<PrecisionReadOut> effective_precision(const Kernel&, const Problem&);

}  // namespace attestone::inline conformance
