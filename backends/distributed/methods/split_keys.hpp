// SPDX-License-Identifier: Apache-2.0
// Decode context parallelism: keys stay where they are, and all queries come to all of them.
#pragma once

#include "backends/distributed/methods/ring_method.hpp"

namespace attestone::inline backends {

/// Decoding with a cache that no device can hold alone, as in vLLM (decode context parallelism) and Helix (N. Bhatia et
/// al., arXiv 2507.07120): few queries are gathered by every device, answers for its own keys go to the owner of the
/// query, who merges them. The backward pass is ours.
class SplitKeys final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

}  // namespace attestone::inline backends
