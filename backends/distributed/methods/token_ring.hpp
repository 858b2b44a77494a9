// SPDX-License-Identifier: Apache-2.0
// TokenRing: keys stay, queries go round, and what keys answer returns to the owner of the queries.
#pragma once

#include "backends/distributed/methods/ring_method.hpp"

namespace attestone::inline backends {

/// Z. Wang et al., "TokenRing" (arXiv 2412.20501): queries travel one way, answers return the other way. The backward
/// pass is ours, for the authors have none.
class TokenRing final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

}  // namespace attestone::inline backends
