// SPDX-License-Identifier: Apache-2.0
// Attention as the formula says it: the whole score matrix of a head, a softmax over its rows, two matrix products.
#pragma once

#include "backends/catalogue.hpp"

namespace attestone {

/// softmax(scale Q K^T) V with Eigen's matrix products, one head after the other, on one thread.
///
/// Everything is f32, but the weights P, which are divided by their sum and then rounded to the input format, and the
/// output. Visibility is asked of the problem once a sequence, as dense bytes.
class Dense {
 public:
  std::string name() const { return "dense"; }
  Support supports(const Problem&) const;
  Numerics numerics(const Problem&) const;
  /// 4 bytes * (queries * dim + keys * dim + keys * value_dim + queries * keys + queries * value_dim) for Q, K, V, S
  /// and O, and queries * keys bytes of visibility. Eigen's own packing buffers, bounded by the cache sizes it is told,
  /// are not counted.
  index workspace_bytes(const Problem&) const;
  void run(const Problem&, Arguments&) const;
};

}  // namespace attestone
