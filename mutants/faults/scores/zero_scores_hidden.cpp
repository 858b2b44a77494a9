// SPDX-License-Identifier: Apache-2.0
// Mutant: a score of exactly 0 is taken for a place that nothing was written to.
#include <limits>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ZeroScoresHidden : TiledSteps {
  float masked(float score, std::optional<float> cap, bool visible) const override {
    return score == 0 ? -std::numeric_limits<float>::infinity() : TiledSteps::masked(score, cap, visible);
  }
};

const Registration<Mutant> registered{{
    .name = "zero_scores_hidden",
    .summary = "a key whose q.k is exactly 0 is left out",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=100x1x2x4x2 dtype=bf16 fill=few_valued",
    .kernel = [] { return tiled_mutant<ZeroScoresHidden>("zero_scores_hidden"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
