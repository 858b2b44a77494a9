// SPDX-License-Identifier: Apache-2.0
// A double ring: rings of neighbours, and a ring of those rings.
#pragma once

#include "backends/distributed/methods/ring_method.hpp"

namespace attestone::inline backends {

/// D. Gu et al., "LoongTrain" (arXiv 2406.18485): while keys go round an inner ring, those that it began with are on
/// their way to the next ring, which has more time for them.
class DoubleRing final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

}  // namespace attestone::inline backends
