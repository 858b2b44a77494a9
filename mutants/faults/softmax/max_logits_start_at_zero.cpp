// SPDX-License-Identifier: Apache-2.0
// Mutant: the running maximum behind max_logits starts at 0.
#include <algorithm>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaxLogitsStartAtZero : TiledSteps {
  float max_logit(float largest, std::optional<float>) const override { return std::max(largest, 0.0f); }
};

const Registration<Mutant> registered{{
    .name = "max_logits_start_at_zero",
    .summary = "max_logits is never below 0",
    .property = "value_bound",
    .reason = "wrong-max-logits",
    .problem = "shape=1x1x8x2x4 wants=max_logits",
    .kernel = [] { return tiled_mutant<MaxLogitsStartAtZero>("max_logits_start_at_zero"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
