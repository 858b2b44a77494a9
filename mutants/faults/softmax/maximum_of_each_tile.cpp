// SPDX-License-Identifier: Apache-2.0
// Mutant: each tile has a maximum of its own.
#include <limits>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaximumOfEachTile : TiledSteps {
  float maximum_before(float) const override { return -std::numeric_limits<float>::infinity(); }
};

const Registration<Mutant> registered{{
    .name = "maximum_of_each_tile",
    .summary = "lets the maximum fall with a tile of smaller scores, so that what was summed before is "
               "multiplied by too much",
    .source = "tile-ai/TileOPs PR #239",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x4x17x8 scale=40",
    .kernel = [] { return tiled_mutant<MaximumOfEachTile>("maximum_of_each_tile"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
