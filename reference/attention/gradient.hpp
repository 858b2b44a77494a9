// SPDX-License-Identifier: Apache-2.0
// The answer of the ladder's backward steps: the gradients of <O, dO> in plain double.
#pragma once

#include "reference/attention/operands.hpp"

namespace attestone {

/// Each of the extents of its input, at first 0; bias and sink have no elements where the problem has none.
struct Gradient {
  explicit Gradient(const Inputs&);

  /// Adds one pair's share to the gradients of the inputs: its weight p, times dropout, to dV; ds, the gradient of its
  /// score, to the bias and, by the score's slope, to dQ and dK. Whoever shares an input adds up there.
  void add(const Operands&, const Pair&, double p, double ds);

  Rows query, key, value, bias, sink;
};

/// The gradient of a pair's weight p: dropout * dO.v.
double weight_gradient(const Operands&, const Pair&);

}  // namespace attestone
