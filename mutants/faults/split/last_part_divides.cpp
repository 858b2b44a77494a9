// SPDX-License-Identifier: Apache-2.0
// Mutant: the merge assigns the denominator where it must add.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LastPartDivides : SplitSteps {
  float merged_sum(float, float l_of_part, float weight) const override { return weight * l_of_part; }
};

const Registration<Mutant> registered{{
    .name = "last_part_divides",
    .summary = "divides the sum over all parts by the denominator of the last one",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x33x1",
    .kernel = [] { return split_mutant<LastPartDivides>("last_part_divides"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
