// SPDX-License-Identifier: Apache-2.0
// Mutant: the merge is not shifted by the largest maximum.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MergeFromFirstMaximum : SplitSteps {
  float maximum(std::span<const float> maxima) const override {
    return maxima.empty() ? SplitSteps::maximum(maxima) : maxima[0];
  }
};

const Registration<Mutant> registered{{
    .name = "merge_from_first_maximum",
    .summary = "measures every part against the maximum of the first, which overflows",
    .source = "jzhang38/EasyContext #14",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x1x400x1 fill=monotone",
    .kernel = [] { return split_mutant<MergeFromFirstMaximum>("merge_from_first_maximum"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
