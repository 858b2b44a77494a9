// SPDX-License-Identifier: Apache-2.0
// Mutant: the merge knows four parts.
#include <algorithm>

#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct FourPartsMerged : SplitSteps {
  index parts_merged(index parts) const override { return std::min<index>(parts, 4); }
};

const Registration<Mutant> registered{{
    .name = "four_parts_merged",
    .summary = "has room for the weights of four parts, and merges no more",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x129x1",
    .kernel = [] { return split_mutant<FourPartsMerged>("four_parts_merged"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
