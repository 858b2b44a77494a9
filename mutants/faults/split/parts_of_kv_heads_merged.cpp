// SPDX-License-Identifier: Apache-2.0
// Mutant: the merge is called with the number of kv heads.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PartsOfKvHeadsMerged : SplitSteps {
  index heads_merged(const Shape& shape) const override { return shape.kv_heads; }
};

const Registration<Mutant> registered{{
    .name = "parts_of_kv_heads_merged",
    .summary = "merges as many heads as K has",
    .source = "mlc-ai/mlc-llm PR #1995",
    .property = "guards",
    .reason = "unwritten",
    .problem = "shape=1x2/1x1x1x1",
    .kernel = [] { return split_mutant<PartsOfKvHeadsMerged>("parts_of_kv_heads_merged"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
