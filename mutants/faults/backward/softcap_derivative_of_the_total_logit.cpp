// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dQ and dK with softcap beside a bias or ALiBi.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const override {
    Logit z = FusedBackward::logit(c, s, h, i, j, qk);
    const float cap = softcap(c);
    if (cap > 0) z.slope = 1.0f - (z.value / cap) * (z.value / cap);
    return z;
  }
};

const Registration<Mutant> registered{{
    .name = "softcap_derivative_of_the_total_logit",
    .summary = "the backward pass regains the capped score from the logit, bias included, and takes 1 - (logit / c)^2 "
               "as derivative",
    .source = "Dao-AILab/flash-attention #1033",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x4x24x24x16 score=softcap:3&alibi pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("softcap_derivative_of_the_total_logit"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
