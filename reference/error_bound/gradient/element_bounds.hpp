// SPDX-License-Identifier: Apache-2.0
// The bounds of one gradient, element by element.
#pragma once

#include <vector>

#include "reference/call/tensors.hpp"

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

}  // namespace attestone
