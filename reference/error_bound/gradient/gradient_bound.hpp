// SPDX-License-Identifier: Apache-2.0
// Rounding errors of the gradients: bounds that follow from a declared arithmetic and the inputs.
#pragma once

#include <optional>

#include "reference/call/tensors.hpp"
#include "reference/error_bound/gradient/element_bounds.hpp"
#include "reference/numerics/numerics.hpp"

namespace attestone {

/// Like Gradients: one element of bounds for each element of a gradient.
struct GradientBounds {
  ElementBounds query, key, value;
  std::optional<ElementBounds> bias, sink;
};

/// Infinite where an intermediate may leave its range. 0 where nothing reaches a gradient: an empty row, a row whose
/// gradient of O is 0, a key that no such row sees, or, for V, whose every pair is dropped.
///
/// Holds some twenty numbers for each visible pair of one head at a time. The result does not depend on the number of
/// threads.
GradientBounds gradient_bounds(const Problem&, const Inputs&, const Numerics&);

/// Bounds dQ alone, in less than half the time.
ElementBounds query_gradient_bounds(const Problem&, const Inputs&, const Numerics&);

}  // namespace attestone
