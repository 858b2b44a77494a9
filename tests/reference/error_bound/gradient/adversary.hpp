// SPDX-License-Identifier: Apache-2.0
// How near to its bound a kernel comes whose roundings conspire against one element of a gradient after another.
#pragma once

#include "tests/reference/error_bound/gradient/erring_backward.hpp"
#include "tests/reference/error_bound/gradient_case.hpp"

namespace attestone::emulation {

/// An element, by gradient ("dQ", "dK", "dV", "dbias", "dsink") and its place in the tensor as it is packed.
struct Element {
  std::string gradient;
  std::size_t at = 0;
};

/// The adversary lets each rounding err alone first; then all together, each the way that moved the result up, or down;
/// and turns those that move it further so. What it reaches is printed, must not exceed a bound, and must be at least
/// this share of the deterministic one.
void expect_reached(const GradientCase&, const Form&, const Element&, double least);
/// Expects the adversary to reach this share of the bound on the gain of a whole gradient.
void expect_gain_reached(const GradientCase&, const Form&, const std::string& gradient, double least);

/// Sets every element.
void fill(const View&, double);
/// Sets scores of 0, and 1 for everything else. A test then says only what matters to it.
void fill_plainly(Inputs&);

/// Numerics that are exact except for what a test declares: no rounding, no underflow, the range of double.
Numerics exact_numerics();

}  // namespace attestone::emulation
