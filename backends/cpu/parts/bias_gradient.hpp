// SPDX-License-Identifier: Apache-2.0
// The gradient of the bias tensor while it is summed over the axes that the tensor lacks.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/parts/interval.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// One kv head of one sequence, with the query heads that read it.
struct HeadGroup {
  index batch, kv_head;
};

/// Sums in f32, one for every element of the bias tensor; nothing at all without a bias tensor.
class BiasGradient {
 public:
  BiasGradient(Device&, const Problem&);
  /// 4 bytes for every element of the bias tensor.
  static index bytes(const Problem&);

  /// Adds gradients[j] to the sum of the pair of key first.key + j. Threads must not share a sum: see `shares`.
  void add(const Pair& first, index count, const float* gradients);
  /// Rounds the sums to the output format; the gradient is absent when the tensor is.
  void store(const std::optional<View>& dbias);

  /// All groups of a problem, split so that two shares never meet in one sum: what one thread may work on, in order.
  static std::vector<std::vector<HeadGroup>> shares(const Problem&);

 private:
  Extents extents_;  ///< of the tensor; 0 without one
  Allocation<float> sums_;
};

}  // namespace attestone::inline backends
