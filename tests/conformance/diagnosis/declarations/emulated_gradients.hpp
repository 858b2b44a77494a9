// SPDX-License-Identifier: Apache-2.0
// A backward pass in double, with a number of roundings to choose from.
#pragma once

#include <functional>
#include <string>

#include "backends/kernel.hpp"

namespace attestone {

/// Beside a forward pass that is right. Each hook sees a number on its way.
struct EmulatedGradients {
  using Step = std::function<double(double)>;
  static double same(double x) { return x; }

  Step out = same;             ///< O, of which delta is made
  Step delta = same;           ///< the sum of dO O
  Step weight = same;          ///< P, as it meets dO
  Step projection = same;      ///< dP
  Step score_weight = same;    ///< P, as it meets dP - delta
  Step score_gradient = same;  ///< dS, as it meets K and Q
  Step query_sum = same;       ///< the sum of dQ after each of its addends
  Step key_sum = same;         ///< and of dK and dV
  double key_factor = 1;       ///< of dK: another than 1 is wrong

  SharedKernel kernel(std::string name) const;
};

}  // namespace attestone
