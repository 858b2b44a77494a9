// SPDX-License-Identifier: Apache-2.0
// Mutant: the merge forgets the weights in the denominator.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PartSumsNotRescaled : SplitSteps {
  float merged_sum(float sum, float l_of_part, float) const override { return sum + l_of_part; }
};

const Registration<Mutant> registered{{
    .name = "part_sums_not_rescaled",
    .summary = "rescales O of a part but not its denominator",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x33x8",
    .kernel = [] { return split_mutant<PartSumsNotRescaled>("part_sums_not_rescaled"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
