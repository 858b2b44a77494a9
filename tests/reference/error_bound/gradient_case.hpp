// SPDX-License-Identifier: Apache-2.0
// One backward problem with its inputs, bounds and exact gradients; and how near a kernel's come to the bounds.
#pragma once

#include "reference/error_bound/gradient/gradient_bound.hpp"
#include "tests/reference/error_bound/emulated_backward.hpp"
#include "tests/reference/error_bound/exact_gradients.hpp"

namespace attestone::emulation {

/// The largest errors of the elements of one gradient, as shares of their bounds. NaN is infinite.
struct Shares {
  double deterministic = 0, probabilistic = 0;
  double least_probabilistic = 0;  ///< the smallest share of all elements

  void see(const Shares&);
};

/// By gradient: "dQ", "dK", "dV", "dbias", "dsink".
using NamedShares = std::vector<std::pair<std::string, Shares>>;

struct GradientCase {
  /// Fills by name; the gradient of O is positive with the uniform fill, normal with others, times `dout_size`.
  GradientCase(const std::string& line, const std::string& fill, double dout_size = 1);
  GradientCase(const std::string& line, const std::string& fill, double dout_size, const Numerics&);

  GradientCase(const std::string& line, const Numerics&, void (*fill)(Inputs&));

  NamedShares shares(const Gradients&) const;
  Gradients run(const BackwardRecipe& recipe) const { return gradients(problem, inputs, numerics, recipe); }

  Problem problem;
  Numerics numerics;
  Inputs inputs;
  ExactGradients exact;
  GradientBounds bounds;
};

/// `times` x the gradient.
void multiply(const View& gradient, double times);

}  // namespace attestone::emulation
