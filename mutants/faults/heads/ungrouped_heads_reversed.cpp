// SPDX-License-Identifier: Apache-2.0
// Mutant: without groups the heads are read backwards.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct UngroupedHeadsReversed : TiledSteps {
  index kv_head(index head, const Shape& shape) const override {
    return shape.heads == shape.kv_heads ? shape.heads - 1 - head : TiledSteps::kv_head(head, shape);
  }
};

const Registration<Mutant> registered{{
    .name = "ungrouped_heads_reversed",
    .summary = "reads kv heads in reverse where every query head has its own",
    .property = "grouping_irrelevant",
    .reason = "grouping",
    .problem = "shape=1x4/2x1x2x1",
    .kernel = [] { return tiled_mutant<UngroupedHeadsReversed>("ungrouped_heads_reversed"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
