// SPDX-License-Identifier: Apache-2.0
// Dropout whose rate or seed is narrowed, in both passes alike.
#include "mutants/hosts/pipelines/pipelined.hpp"

#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

/// Shows with rates that are no multiple of 1/256, in both passes alike: few pairs at 0.1, none dropped at all
/// below 0.0039.
template <class Host>
struct DropoutDecidedByEightBits : Host {
  static bool kept(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    const std::uint32_t word = random_word(s, h, i, j, p.a.dropout_seed);
    return (word >> 24) >= static_cast<std::uint32_t>(std::floor(p.a.dropout * 256.0));
  }
};

/// Shows with dropout and a seed from 2^32 on, in both passes alike.
template <class Host>
struct DropoutSeedInThirtyTwoBits : Host {
  static bool kept(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    const auto threshold = static_cast<std::uint32_t>(std::floor(p.a.dropout * 4294967296.0));
    return random_word(s, h, i, j, static_cast<std::uint32_t>(p.a.dropout_seed)) >= threshold;
  }
};

const Registrations<Mutant> registered{
    {.name = "dropout_decided_by_eight_bits",
     .summary = "a pair is kept by the upper eight bits of its random word, and the rate is rounded down to that",
     .source = "Dao-AILab/flash-attention #993, NVIDIA/apex PR #1614",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x64x64x16 dropout=0.003",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Pipelined<DropoutDecidedByEightBits<PipelinedPolicy>>,
                         FusedBackward<DropoutDecidedByEightBits<FusedBackwardPolicy>>>(
               "dropout_decided_by_eight_bits");
         },
     .twin = right_pipelined_fused},
    {.name = "dropout_seed_in_thirty_two_bits",
     .summary = "the seed is passed on as 32 bits",
     .source = "flagos-ai/FlagGems PR #27",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x32x16 dropout=0.3 seed=5000000000",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Pipelined<DropoutSeedInThirtyTwoBits<PipelinedPolicy>>,
                         FusedBackward<DropoutSeedInThirtyTwoBits<FusedBackwardPolicy>>>(
               "dropout_seed_in_thirty_two_bits");
         },
     .twin = right_pipelined_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
