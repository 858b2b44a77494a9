// SPDX-License-Identifier: Apache-2.0
// Mutant: max_logits leaves the bias out.
#include <limits>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaxLogitsWithoutBias : TiledSteps {
  float logit(float score, std::optional<float> cap, bool visible, double bias) const override {
    constexpr double hidden = -std::numeric_limits<double>::infinity();
    return biased(score, cap, visible, bias == hidden ? hidden : 0);
  }
};

const Registration<Mutant> registered{{
    .name = "max_logits_without_bias",
    .summary = "the largest score is taken before the bias is added",
    .property = "value_bound",
    .reason = "wrong-max-logits",
    .problem = "shape=1x1x4x4x1 score=bias:full wants=max_logits",
    .kernel = [] { return tiled_mutant<MaxLogitsWithoutBias>("max_logits_without_bias"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
