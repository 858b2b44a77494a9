// SPDX-License-Identifier: Apache-2.0
// Mutant: the sum of weights is not rescaled when a later tile raises the maximum.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SumNotRescaled : TiledSteps {
  float shrink_sum(float, float) const override { return 1; }
};

const Registration<Mutant> registered{{
    .name = "sum_not_rescaled",
    .summary = "l keeps its old scale when the maximum rises; right wherever the first tile holds the largest score",
    .source = "tile-ai/TileOPs PR #239",
    .property = "key_order_irrelevant",
    .reason = "key-order",
    .problem = "shape=1x1x1x17x8 fill=sinks",
    .kernel = [] { return tiled_mutant<SumNotRescaled>("sum_not_rescaled"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
