// SPDX-License-Identifier: Apache-2.0
// Mutant: max_logits is that of the last tile alone.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaxLogitsOfLastTile : TiledSteps {
  float largest_logit(float, float of_tile) const override { return of_tile; }
};

const Registration<Mutant> registered{{
    .name = "max_logits_of_last_tile",
    .summary = "the largest score of each tile takes the place of the one before",
    .property = "value_bound",
    .reason = "wrong-max-logits",
    .problem = "shape=1x1x4x17x1 wants=max_logits",
    .kernel = [] { return tiled_mutant<MaxLogitsOfLastTile>("max_logits_of_last_tile"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
