// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dQ, dK and dbias with dropout; dV is right.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : FusedBackwardPolicy {
  static bool takes_dropped(bool kept) { return kept; }
};

const Registration<Mutant> registered{{
    .name = "dropped_pairs_send_no_score_gradient",
    .summary = "the weights behind dropout, not those before it, are the P of dS = P (dP - delta): pairs that were "
               "dropped send nothing, though they take their share of the softmax",
    .source = "aws-neuron/nki-samples PR #81",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x24x16 dropout=0.3 pass=forward+backward",
    .kernel =
        [] { return kernel<Pipelined<PipelinedPolicy>, FusedBackward<Fault>>("dropped_pairs_send_no_score_gradient"); },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
