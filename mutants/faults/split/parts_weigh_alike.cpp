// SPDX-License-Identifier: Apache-2.0
// Mutant: parts are merged without weights.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PartsWeighAlike : SplitSteps {
  float weight_of_part(float, float) const override { return 1; }
};

const Registration<Mutant> registered{{
    .name = "parts_weigh_alike",
    .summary = "merges the parts as if they had the same maximum",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x33x8",
    .kernel = [] { return split_mutant<PartsWeighAlike>("parts_weigh_alike"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
