// SPDX-License-Identifier: Apache-2.0
// One call on a mesh: who holds what, and the ranks that work on it.
#pragma once

#include <deque>

#include "simulate/held_tensors.hpp"
#include "simulate/mesh_shards.hpp"
#include "simulate/world.hpp"

namespace attestone {

/// Which rows and heads a rank holds of a tensor.
struct HeldPart {
  const HeldRows& rows;
  Interval heads;
};

class MeshCall {
 public:
  MeshCall(const MeshShards&, const Kernel& local, const Problem&, const KernelInputs&, World&);

  Rank& rank(index number) { return ranks_[static_cast<std::size_t>(number)]; }

  /// A rank's own rows, of all heads: before and after any exchange.
  HeldPart own_queries(index rank) const;
  HeldPart own_keys(index rank) const;
  /// What the local attention works on: after the exchange.
  HeldPart attended_queries(index rank) const;
  HeldPart attended_keys(index rank) const;

  /// Gives every rank sums of its own for the gradients of sinks and biases; and adds them up, rank by rank.
  void start_shared(const BackwardArguments&);
  void store_shared(const BackwardArguments&) const;

 private:
  const Shape& shape_;
  std::deque<Device> workspaces_;  ///< of the ranks' kernels
  std::deque<Rank> ranks_;
  std::deque<Buffer> shared_;  ///< sums of gradients of what all ranks have
};

}  // namespace attestone
