// SPDX-License-Identifier: Apache-2.0
// A ring in both directions on devices that form no ring: an open line, whose ends have one neighbour.
#pragma once

#include "backends/distributed/methods/ring_method.hpp"

namespace attestone::inline backends {

/// The wrap-free bidirectional ring of MaxDiffusion without the blocks beyond the ends of the line, which are masked
/// there (masked_line.hpp). The backward passes are ours, for MaxDiffusion has none.
class OpenLine final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;

 private:
  bool reflects() const { return chosen("sums") == "reflecting"; }
};

/// The backward pass on several devices. Sums of dK and dV begin at the ends of the line and go to their owner, each
/// place adding what it has kept since the keys passed: the longer the line, the more a place keeps.
Task<RankGradients> line_backward_by_chain(Rank&, RankSaved, RingVariant);
/// Sends the keys to the ends first, where they turn and come back beside their sums: nothing is kept.
Task<RankGradients> line_backward_by_reflection(Rank&, RankSaved, RingVariant);

}  // namespace attestone::inline backends
