// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined and fused backward host: shows with dropout and a seed from 2^32 on, in both passes alike.
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
    const auto threshold = static_cast<std::uint32_t>(std::floor(p.a.dropout * 4294967296.0));
    return random_word(s, h, i, j, static_cast<std::uint32_t>(p.a.dropout_seed)) >= threshold;
  }
};

const Registration<Mutant> registered{{
    .name = "dropout_seed_in_thirty_two_bits",
    .summary = "the seed is passed on as 32 bits",
    .source = "flagos-ai/FlagGems PR #27",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x32x16 dropout=0.3 seed=5000000000",
    .kernel =
        [] {
          return kernel<Pipelined<Fault<PipelinedPolicy>>, FusedBackward<Fault<FusedBackwardPolicy>>>(
              "dropout_seed_in_thirty_two_bits");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
