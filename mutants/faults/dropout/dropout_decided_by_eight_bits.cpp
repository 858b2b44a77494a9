// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined and fused backward host: shows with rates that are no multiple of 1/256, in both passes
// alike: few pairs at 0.1, none dropped at all below 0.0039.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

template <class Host>
struct Fault : Host {
  static bool kept(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    const std::uint32_t word = random_word(s, h, i, j, p.a.dropout_seed);
    return (word >> 24) >= static_cast<std::uint32_t>(std::floor(p.a.dropout * 256.0));
  }
};

const Registration<Mutant> registered{{
    .name = "dropout_decided_by_eight_bits",
    .summary = "a pair is kept by the upper eight bits of its random word, and the rate is rounded down to that",
    .source = "Dao-AILab/flash-attention #993, NVIDIA/apex PR #1614",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x64x64x16 dropout=0.003",
    .kernel =
        [] {
          return kernel<Pipelined<Fault<PipelinedPolicy>>, FusedBackward<Fault<FusedBackwardPolicy>>>(
              "dropout_decided_by_eight_bits");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
