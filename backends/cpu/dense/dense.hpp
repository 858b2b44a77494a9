// SPDX-License-Identifier: Apache-2.0
// Attention as the formula says it: the whole score matrix of a head, a softmax over its rows, two matrix products.
#pragma once

#include "backends/catalogue.hpp"

namespace attestone {

/// softmax(scale Q K^T) V with Eigen's matrix products, one head after the other, on one thread; and its gradients,
/// with the score matrix computed anew.
///
/// Everything is f32, but the weights P and the score gradients dS, which are rounded to the input format before they
/// are multiplied (P after it was divided by its sum), and the results. VisiblePart is asked for as bytes.
class Dense {
 public:
  std::string name() const { return "dense"; }
  Support supports(const Problem&) const;
  bool wants_mask_bytes(const Problem&) const { return true; }
  Numerics numerics(const Problem&) const;
  /// 4 bytes * (queries * dim + keys * dim + keys * value_dim + queries * keys + queries * value_dim) for Q, K, V, S
  /// and O, queries * keys bytes of visibility, and 4 bytes * keys for a row of the bias tensor, if there is one.
  /// Eigen's own packing buffers, bounded by the cache sizes it is told, are not counted.
  index workspace_bytes(const Problem&) const;
  void run(const Problem&, Arguments&) const;
  /// GradientBlock::bytes of a block that holds a whole head, and BiasGradient::bytes.
  index backward_workspace_bytes(const Problem&) const;
  void run_backward(const Problem&, BackwardArguments&) const;
};

}  // namespace attestone
