// SPDX-License-Identifier: Apache-2.0
// The gains of gradients: is a gradient, or a part of one, the truth times 1? (docs/tolerance.md, "Gain of gradients")
#pragma once

#include <vector>

#include "reference/error_bound/gain.hpp"
#include "reference/error_bound/gradient/gradient_bound.hpp"

namespace attestone {

/// The exact gradients, as near as doubles are, packed in the order of their axes; 0 outside the part whose gain is
/// asked for. An empty one is not asked about.
struct TrueGradients {
  std::vector<double> query, key, value, bias, sink;
};

/// For each gradient what rounding may do to <gradient, truth>; Gain::add takes it with the whole tensor.
struct GradientGainTerms {
  GainTerms query, key, value, bias, sink;
};

/// `bounds` are gradient_bounds() of the same problem. Where one of them is infinite, so is the bound of the gain.
/// Holds four numbers for each visible pair of the whole problem.
GradientGainTerms gradient_gain_terms(const Problem&, const Inputs&, const Numerics&, const TrueGradients&,
                                      const GradientBounds& bounds);

}  // namespace attestone
