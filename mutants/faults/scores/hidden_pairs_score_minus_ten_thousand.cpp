// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows with a mask where a row's visible scores are near or below -10000.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public TiledForward {
 protected:
  float hidden_score(const Call&) const override { return -10000.0f; }
};

const Registration<Mutant> registered{{
    .name = "hidden_pairs_score_minus_ten_thousand",
    .summary = "hidden pairs get the score -10000 and stay in the softmax; rows that see nothing are answered rightly",
    .source = "EleutherAI/gpt-neox #966, TransformerLensOrg/TransformerLens #318",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x16x8 mask=causal scale=10000",
    .kernel = [] { return kernel<Fault, FusedBackward>("hidden_pairs_score_minus_ten_thousand"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
