// SPDX-License-Identifier: Apache-2.0
// A ring in both directions on devices that form no ring: an open line, whose ends have one neighbour.
#pragma once

#include "backends/distributed/ring_method.hpp"

namespace attestone {

/// The wrap-free bidirectional ring of MaxDiffusion. Blocks beyond the ends of the line are left out, or masked as they
/// are there. The backward passes are ours, for MaxDiffusion has none.
class OpenLine final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  Support supports(const Problem&, const Mesh&) const override;
  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;

 private:
  bool masks() const { return chosen("beyond") == "masked"; }
  bool reflects() const { return chosen("sums") == "reflecting"; }
};

/// Of several devices, with a block for every step and way.
Task<RankAnswer> line_forward_masked(Rank&, RankInputs, RingVariant);

/// Of several devices. Sums of dK and dV begin at the ends of the line and go to their owner, each place adding what it
/// has kept since the keys passed: the longer the line, the more a place keeps.
Task<RankGradients> line_backward_by_chain(Rank&, RankSaved, RingVariant);
/// The same from keys that go to the ends first, where they turn and come back beside their sums: nothing is kept.
Task<RankGradients> line_backward_by_reflection(Rank&, RankSaved, RingVariant);

}  // namespace attestone
