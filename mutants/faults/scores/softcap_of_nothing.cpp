// SPDX-License-Identifier: Apache-2.0
// Mutant: the cap multiplies the score instead of itself.
#include <cmath>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SoftcapOfNothing : TiledSteps {
  float capped(float score, std::optional<float> cap) const override {
    return cap ? score * std::tanh(score / *cap) : score;
  }
};

const Registration<Mutant> registered{{
    .name = "softcap_of_nothing",
    .summary = "caps by s tanh(s / c)",
    .source = "Dao-AILab/flash-attention PR #2402",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1 score=softcap:5",
    .variant = "softcap s tanh(s / c)",
    .kernel = [] { return tiled_mutant<SoftcapOfNothing>("softcap_of_nothing"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
