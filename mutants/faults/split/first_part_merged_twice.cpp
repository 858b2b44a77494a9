// SPDX-License-Identifier: Apache-2.0
// Mutant: one part is merged in the place of its neighbour.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct FirstPartMergedTwice : SplitSteps {
  index part_read(index part) const override { return part == 1 ? 0 : part; }
};

const Registration<Mutant> registered{{
    .name = "first_part_merged_twice",
    .summary = "merges the first part twice, and the second one never",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x33x8",
    .kernel = [] { return split_mutant<FirstPartMergedTwice>("first_part_merged_twice"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
