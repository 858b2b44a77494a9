// SPDX-License-Identifier: Apache-2.0
// Comparing gradients with the truth, element by element, in units of each element's own bound.
#pragma once

#include <functional>

#include "conformance/verdict/compare.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/error_bound/gradient_bound.hpp"

namespace attestone {

/// Chooses the elements that are compared, by the role of the tensor that the gradient belongs to. `row` is a query of
/// dQ, a key of dK and dV.
using GradientFilter = std::function<bool(Role, index batch, index head, index row)>;

/// One gradient: of query, key, value, bias or sink.
struct ComparedGradient {
  Role role;
  const CertifiedTensor& truth;
  const std::vector<index>* rows;  ///< the rows that the truth knows; null: all
  const ElementBounds& bounds;
  const Tensor& got;
};
std::string_view gradient_name(Role);

/// All gradients of a problem side by side.
std::vector<ComparedGradient> compared_gradients(const GradientTruth&, const GradientBounds&, const Gradients& got);

/// `zeros_would_pass` says that some gradient of Q, K or V would conform if it were all zeros, though it is not.
Comparison compare_gradients(const GradientTruth&, const GradientBounds&, const Gradients& got,
                             const GradientFilter& = nullptr);

}  // namespace attestone
