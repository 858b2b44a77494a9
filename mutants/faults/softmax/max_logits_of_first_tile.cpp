// SPDX-License-Identifier: Apache-2.0
// Mutant: max_logits is that of the first tile that has one.
#include <limits>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaxLogitsOfFirstTile : TiledSteps {
  float largest_logit(float before, float of_tile) const override {
    return before == -std::numeric_limits<float>::infinity() ? of_tile : before;
  }
};

const Registration<Mutant> registered{{
    .name = "max_logits_of_first_tile",
    .summary = "the largest score of the first tile with a key is not raised by later tiles",
    .property = "value_bound",
    .reason = "wrong-max-logits",
    .problem = "shape=1x1x8x32x4 wants=max_logits",
    .kernel = [] { return tiled_mutant<MaxLogitsOfFirstTile>("max_logits_of_first_tile"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
