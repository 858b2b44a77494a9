// SPDX-License-Identifier: Apache-2.0
// Mutant: one part is weighed in another base than the rest.
#include <cmath>
#include <limits>

#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SmallerPartsInBase2 : SplitSteps {
  float weight_of_part(float m_of_part, float m) const override {
    return m_of_part == -std::numeric_limits<float>::infinity() ? 0 : std::exp2(m_of_part - m);
  }
};

const Registration<Mutant> registered{{
    .name = "smaller_parts_in_base_2",
    .summary = "weighs a part by 2^(m_part - m), which is right only where its maximum is that of the row",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x33x8",
    .kernel = [] { return split_mutant<SmallerPartsInBase2>("smaller_parts_in_base_2"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
