// SPDX-License-Identifier: Apache-2.0
// Mutant of the unfused host: shows with NaN or infinities in K at pairs that a mask hides.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/unfused_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public UnfusedForward {
 protected:
  float masked_score(const Unit& u, int64_t i, int64_t j) const override {
    return score(u, i, j) + (seen(u, i, j) ? 0 : -kInfinity);
  }
};

const Registration<Mutant> registered{{
    .name = "hidden_keys_masked_by_adding_minus_infinity",
    .summary = "the mask is an additive bias of -inf: NaN + (-inf) is NaN, so a hidden key whose K holds NaN (or whose "
               "score is +inf) takes the whole row with it",
    .source = "deepbeepmeep/Wan2GP PR #1628",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x16x16x16 mask=causal fill=nonfinite",
    .kernel = [] { return kernel<Fault, FusedBackward>("hidden_keys_masked_by_adding_minus_infinity"); },
    .twin = right_unfused,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
