// SPDX-License-Identifier: Apache-2.0
// Mutant: a score as low as a mask is taken for one in the backward pass.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LowScoresTakenForHidden : FusedSteps {
  static constexpr float mask = -9000;
  float weight(float s, float L) const override { return s < mask ? 0 : FusedSteps::weight(s, L); }
};

const Registration<Mutant> registered{{
    .name = "low_scores_taken_for_hidden",
    .summary = "takes scores below -9000 for hidden in its backward pass, also where all scores of a row are as low",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x1 score=bias:full fill=finite_masks pass=forward+backward",
    .kernel = [] { return fused_mutant<LowScoresTakenForHidden>("low_scores_taken_for_hidden"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
