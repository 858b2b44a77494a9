// SPDX-License-Identifier: Apache-2.0
// Mutant: more parts than the buffer of partial results was sized for.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct FifthPartInFirstPlace : SplitSteps {
  index place(index part) const override { return part % 4; }
};

const Registration<Mutant> registered{{
    .name = "fifth_part_in_first_place",
    .summary = "keeps four parts of a row, and the fifth overwrites the first",
    .source = "Dao-AILab/flash-attention PR #2550",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x129x1",
    .kernel = [] { return split_mutant<FifthPartInFirstPlace>("fifth_part_in_first_place"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
