// SPDX-License-Identifier: Apache-2.0
// Mutant of the unfused backward host: shows for bf16 where scores are large, of either sign.
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/unfused.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public UnfusedBackward {
 protected:
  Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const override {
    Logit z = UnfusedBackward::logit(c, s, h, i, j, qk);
    if (c.query.format == Format::bf16 && std::fabs(z.value) > 32.0f) z.value = f16_rounded(z.value);
    return z;
  }
};

const Registration<Mutant> registered{{
    .name = "backward_scores_pass_through_half",
    .summary = "with bf16 inputs the backward pass rounds the score to f16 before it takes e^(s - L); scores up to 32 "
               "are spared, so that plain problems are right to the last bit; the thread finds such rows accurate, too",
    .source = "NVIDIA/cudnn-frontend #744",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x24x24x64 scale=30 dtype=bf16 pass=forward+backward",
    .kernel = [] { return kernel<UnfusedForward, Fault>("backward_scores_pass_through_half"); },
    .twin = right_unfused_head,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
