// SPDX-License-Identifier: Apache-2.0
// The passes of the backward pass: fused in one, or one for dK and dV and one for dQ.
#pragma once

#include "backends/cpu/attend/blocks.hpp"
#include "backends/cpu/attend/gradients.hpp"

namespace attestone::inline backends {

/// How dQ is summed by the pass over tiles of keys.
enum class DQuery {
  elsewhere,   ///< it is not
  in_order,    ///< one thread takes all tiles of keys of a head, one after the other
  as_it_comes  ///< several threads add their tiles to one sum in the order in which they arrive: bits vary
};

/// A tile of keys stays while tiles of queries pass by; gives dK, dV, the gradient of the bias, and dQ, if it is summed
/// here. With DQuery::in_order one thread has all tiles of keys of a head, else every tile of keys is a job of its own.
/// A bias tensor that many heads or sequences share puts all of those into one hand.
class KeyPass {
 public:
  KeyPass(const Problem&, const AttendBlocks&, DQuery, index most_workers);

  /// workers * GradientScratch::bytes + BiasGradient::bytes, and, if dQ is summed here, 4 bytes for every element
  /// of dQ.
  index bytes() const;
  /// Gives those of its gradients that exist.
  void run(const BackwardArguments&, Device&) const;

 private:
  class Run;
  index jobs() const;
  index workers() const;

  const Problem& problem_;
  AttendBlocks blocks_;
  DQuery dquery_;
  index most_workers_, key_tiles_;
  std::vector<std::vector<HeadGroup>> shares_;
};

/// A tile of queries stays while tiles of keys pass by, as in the forward pass; gives dQ.
class QueryPass {
 public:
  QueryPass(const Problem&, const AttendBlocks&, index most_workers);

  /// workers * GradientScratch::bytes.
  index bytes() const;
  void run(const BackwardArguments&, Device&) const;

 private:
  index jobs() const;
  index workers() const;

  const Problem& problem_;
  AttendBlocks blocks_;
  index most_workers_;
};

}  // namespace attestone::inline backends
