// SPDX-License-Identifier: Apache-2.0
// Mutant: merging parts without visible keys is 0 / 0.
#include <cmath>

#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct EmptyPartsMergeToNan : SplitSteps {
  float weight_of_part(float m_of_part, float m) const override { return std::exp(m_of_part - m); }
};

const Registration<Mutant> registered{{
    .name = "empty_parts_merge_to_nan",
    .summary = "weighs parts by e^(m_part - m) also where both are -infinity",
    .source = "flashinfer-ai/flashinfer #4051",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x3x2x1 mask=causal",
    .kernel = [] { return split_mutant<EmptyPartsMergeToNan>("empty_parts_merge_to_nan"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
