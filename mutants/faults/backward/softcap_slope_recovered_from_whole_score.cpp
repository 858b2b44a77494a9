// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dQ and dK when softcap meets a bias or alibi.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  float softcap_slope(float, float s) const override {
    const float t = s / call->softcap;
    return 1 - t * t;
  }
};

const Registration<Mutant> registered{{
    .name = "softcap_slope_recovered_from_whole_score",
    .summary = "the derivative of the softcap is found from the score that the weights say (log p + log_sum_exp), "
               "which holds the bias or ALiBi term as well",
    .source = "Dao-AILab/flash-attention PR #1033",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x4x24x24x16 score=softcap:5&alibi pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("softcap_slope_recovered_from_whole_score"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
