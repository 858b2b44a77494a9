// SPDX-License-Identifier: Apache-2.0
// What rounding may do to the gradients: bounds that follow from a declared arithmetic and the inputs.
#pragma once

#include <optional>
#include <vector>

#include "reference/numerics.hpp"
#include "reference/tensors.hpp"

namespace attestone {

/// Bounds for every element of one gradient [batch, heads, rows, channels].
class ElementBounds {
 public:
  /// All of them 0.
  explicit ElementBounds(const Extents& extents)
      : extents_(extents),
        deterministic_(static_cast<std::size_t>(element_count(extents))),
        probabilistic_(deterministic_.size()) {}

  const Extents& extents() const { return extents_; }
  /// No kernel with the declared arithmetic errs by more.
  double& deterministic(index b, index h, index r, index c) { return deterministic_[at(b, h, r, c)]; }
  double deterministic(index b, index h, index r, index c) const { return deterministic_[at(b, h, r, c)]; }
  /// The probabilistic bound at lambda = 9; never above the deterministic one.
  double& probabilistic(index b, index h, index r, index c) { return probabilistic_[at(b, h, r, c)]; }
  double probabilistic(index b, index h, index r, index c) const { return probabilistic_[at(b, h, r, c)]; }

 private:
  std::size_t at(index b, index h, index r, index c) const {
    return static_cast<std::size_t>(((b * extents_[1] + h) * extents_[2] + r) * extents_[3] + c);
  }

  Extents extents_;
  std::vector<double> deterministic_, probabilistic_;
};

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

}  // namespace attestone
