// SPDX-License-Identifier: Apache-2.0
// Attention in chunks: memory for one chunk of queries and one of keys, however long the problem is.
#pragma once

#include "backends/cpu/attend/backward_passes.hpp"
#include "backends/cpu/attend/tiled_kernel.hpp"

namespace attestone::inline backends {

/// M. N. Rabe and C. Staats, "Self-attention Does Not Need O(n^2) Memory" (arXiv 2112.05682), sections 2 to 4: a chunk
/// of queries takes in one chunk of keys after the other, and keeps a running maximum, sum and average; the backward
/// pass computes every chunk of scores anew, once for dK and dV and once for dQ. On one thread.
///
/// Everything is f32, but the weights P and the score gradients dS, which are rounded to the input format before they
/// are multiplied, and the results.
class Chunked final : public TiledKernel {
 public:
  explicit Chunked(const Settings&);

  Numerics numerics(const Problem&) const override;
  /// AttendScratch::bytes and AttendState::bytes of a chunk, none larger than the problem.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;
  /// The memory of the pass that takes more.
  index backward_bytes(const Problem&) const override;
  void backward(const Problem&, const BackwardArguments&, Device&) const override;

 private:
  KeyPass key_pass(const Problem&) const;
  QueryPass query_pass(const Problem&) const;

  index query_chunk_, key_chunk_;
};

}  // namespace attestone::inline backends
