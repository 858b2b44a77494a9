// SPDX-License-Identifier: Apache-2.0
// Mutant: writer and reader of the parts disagree about a stride.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PartsAssumedPacked : SplitSteps {
  index stride_read(index, index value_dim) const override { return value_dim; }
};

const Registration<Mutant> registered{{
    .name = "parts_assumed_packed",
    .summary = "reads the parts as if their rows of O were not padded",
    .source = "Dao-AILab/flash-attention PR #2388",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x1x33x1",
    .kernel = [] { return split_mutant<PartsAssumedPacked>("parts_assumed_packed"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
