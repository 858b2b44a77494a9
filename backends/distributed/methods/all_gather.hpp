// SPDX-License-Identifier: Apache-2.0
// Context parallelism by all-gather: as a rank program, and what it costs.
#pragma once

#include "backends/distributed/methods/ring_method.hpp"

namespace attestone::inline backends {

/// The method that trained Llama 3: A. Grattafiori et al., "The Llama 3 Herd of Models" (arXiv 2407.21783, section
/// 3.3.2); gather and scatter go round a ring. Nothing is merged, for a local call has all keys. In chunks of heads as
/// ring-flash-attention does it for packed sequences (llama3_flash_attn_varlen.py, heads_k_stride).
class AllGather final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  index key_parts(const Mesh&) const override { return 1; }
  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

}  // namespace attestone::inline backends
