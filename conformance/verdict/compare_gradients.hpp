// SPDX-License-Identifier: Apache-2.0
// Comparing gradients with the truth, element by element, in units of each element's own bound.
#pragma once

#include <functional>

#include "conformance/verdict/compare.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/error_bound/gradient/gradient_bound.hpp"

namespace attestone::inline conformance {

/// Chooses the elements that are compared. `row` is a query of dQ, a key of dK and dV.
using GradientFilter = std::function<bool(TensorName gradient, index batch, index head, index row)>;

/// One gradient: dquery, dkey, dvalue, dbias or dsink.
struct ComparedGradient {
  TensorName tensor;
  const CertifiedTensor& truth;
  const std::vector<index>* rows;  ///< the rows that the truth knows; null: all
  const ElementBounds& bounds;
  const Tensor& got;
};

/// All gradients that are asked for, side by side.
std::vector<ComparedGradient> compared_gradients(const GradientTruth&, const GradientBounds&, const Gradients& got);

/// `zeros_would_pass` says that some gradient of Q, K or V would conform if it were all zeros, though it is not.
Comparison compare_gradients(const GradientTruth&, const GradientBounds&, const Gradients& got,
                             const GradientFilter& = nullptr);

}  // namespace attestone::inline conformance
