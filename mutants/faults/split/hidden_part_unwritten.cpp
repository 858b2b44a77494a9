// SPDX-License-Identifier: Apache-2.0
// Mutant: a part without visible keys is not written, but is merged.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct HiddenPartUnwritten : SplitSteps {
  bool writes_part(float l) const override { return l != 0; }
};

const Registration<Mutant> registered{{
    .name = "hidden_part_unwritten",
    .summary = "leaves a part alone that sees no key, and the merge reads what was there before",
    .source = "ROCm/aiter PR #4711; flashinfer-ai/flashinfer PR #50",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x2x34x1 mask=causal:top_left",
    .kernel = [] { return split_mutant<HiddenPartUnwritten>("hidden_part_unwritten"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
