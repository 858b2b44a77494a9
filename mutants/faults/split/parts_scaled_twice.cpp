// SPDX-License-Identifier: Apache-2.0
// Mutant: the scale is applied once more to what is kept of a part.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PartsScaledTwice : SplitSteps {
  float kept_maximum(float m, float scale) const override { return m * scale; }
};

const Registration<Mutant> registered{{
    .name = "parts_scaled_twice",
    .summary = "scales the maximum of a part again, which is scaled already",
    .source = "HKUSTDial/flash-sparse-attention PR #106",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x33x8",
    .kernel = [] { return split_mutant<PartsScaledTwice>("parts_scaled_twice"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
