// SPDX-License-Identifier: Apache-2.0
// A backward pass that recovers the capped score from the weight, which also holds the bias.
#include "mutants/hosts/staged_blocks/producer_consumer.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {
namespace {

/// Shows in gradients with a softcap and a bias or ALiBi.
struct SoftcapDerivativeRecoveredFromProbability : Policy {
  static float softcap_derivative(float /*t*/, float p, float lse, float cap) {
    const float t = (std::log(std::max(p, 1e-20f)) + lse) / cap;
    return 1 - t * t;
  }
};

const Registrations<Mutant> registered{
    {.name = "softcap_derivative_recovered_from_probability",
     .summary = "the backward pass recovers the capped score from the weight, which is the score behind the bias",
     .source = "Dao-AILab/flash-attention PR #1033, openxla/tokamax PR #1121",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x8x8x8 score=softcap:5&alibi pass=forward+backward",
     .batch = "fifth",
     .kernel =
         [] {
           return kernel<SoftcapDerivativeRecoveredFromProbability>("softcap_derivative_recovered_from_probability");
         },
     .twin = right_producer_consumer},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
