// SPDX-License-Identifier: Apache-2.0
// Mutant: the backward pass takes the log_sum_exp for one of base 2.
#include <cmath>
#include <limits>

#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct WeightOfBaseTwo : FusedSteps {
  float weight(float s, float L) const override {
    return s == -std::numeric_limits<float>::infinity() ? 0 : std::exp2(s - L);
  }
};

const Registration<Mutant> registered{{
    .name = "weight_of_base_two",
    .summary = "recomputes weights as 2^(s - L)",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x2 pass=forward+backward",
    .variant = "weights of base 2 in the backward pass",
    .kernel = [] { return fused_mutant<WeightOfBaseTwo>("weight_of_base_two"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
