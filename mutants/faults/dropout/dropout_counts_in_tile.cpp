// SPDX-License-Identifier: Apache-2.0
// Mutant: the counter of dropout begins anew in every tile.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct DropoutCountsInTile : TiledSteps {
  bool keeps(const Problem& problem, const Pair& at) const override {
    return TiledSteps::keeps(problem, {at.batch, at.head, at.query, at.key % tile});
  }
};

const Registration<Mutant> registered{{
    .name = "dropout_counts_in_tile",
    .summary = "draws with the number of a key within its tile, so that all tiles drop alike",
    .property = "dropout_pairs",
    .reason = "dropout-pairs",
    .problem = "shape=1x1x8x32x8 dropout=0.5",
    .kernel = [] { return tiled_mutant<DropoutCountsInTile>("dropout_counts_in_tile"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
