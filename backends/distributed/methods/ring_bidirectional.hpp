// SPDX-License-Identifier: Apache-2.0
// A ring in both directions: half of each shard goes either way.
#pragma once

#include "backends/distributed/methods/ring_method.hpp"

namespace attestone::inline backends {

/// Ring attention (H. Liu et al., arXiv 2310.01889) where links carry as much in one direction as in the other, as
/// those of a torus do: the same bytes, half of them each way.
class BidirectionalRing final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  index key_parts(const Mesh& mesh) const override { return mesh.places() == 1 ? 1 : 2 * mesh.places(); }
  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

}  // namespace attestone::inline backends
