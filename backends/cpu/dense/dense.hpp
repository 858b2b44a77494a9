// SPDX-License-Identifier: Apache-2.0
// Attention as the formula says it: the whole score matrix of a head, a softmax over its rows, two matrix products.
#pragma once

#include "backends/catalogue.hpp"

namespace attestone::inline backends {

/// softmax(scale Q K^T) V with Eigen's matrix products, one head after the other, on one thread; and its gradients,
/// with the score matrix computed anew.
///
/// Everything is f32, but the weights P and the score gradients dS, which are rounded to the input format before they
/// are multiplied (P after it was divided by its sum), and the results. VisiblePart is asked for as bytes.
class Dense final : public Kernel {
 public:
  std::string name() const override { return "dense"; }
  Support supports(const Problem&) const override;
  bool wants_mask_bytes(const Problem&) const override { return true; }
  Numerics numerics(const Problem&) const override;
  /// 4 bytes * (queries * dim + keys * dim + keys * value_dim + queries * keys + queries * value_dim) for Q, K, V, S
  /// and O, queries * keys bytes of visibility, and 4 bytes * keys for a row of the bias tensor, if there is one.
  /// Eigen's own packing buffers, bounded by the cache sizes it is told, are not counted.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;
  bool computes_max_logits() const override { return true; }
  bool takes_parts() const override { return true; }
  bool computes_gradients() const override { return true; }
  /// GradientBlock::bytes of a block that holds a whole head, and BiasGradient::bytes.
  index backward_bytes(const Problem&) const override;
  void backward(const Problem&, const BackwardArguments&, Device&) const override;
};

}  // namespace attestone::inline backends
