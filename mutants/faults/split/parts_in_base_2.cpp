// SPDX-License-Identifier: Apache-2.0
// Mutant: maxima of parts in base 2 meet a merge in base e.
#include <numbers>

#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PartsInBase2 : SplitSteps {
  float kept_maximum(float m, float) const override { return m * std::numbers::log2e_v<float>; }
};

const Registration<Mutant> registered{{
    .name = "parts_in_base_2",
    .summary = "keeps the maximum of a part in base 2 and merges with e",
    .source = "sgl-project/sglang PR #35045",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x33x8",
    .kernel = [] { return split_mutant<PartsInBase2>("parts_in_base_2"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
