// SPDX-License-Identifier: Apache-2.0
// Dropout that is forgotten, counted wrongly or scaled wrongly.
#include "mutants/hosts/tiled.hpp"

#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct DropoutBeforeSum : TiledSteps {
  float counted(float p, bool kept) const override { return kept ? p : 0; }
};

struct DropoutCountsInTile : TiledSteps {
  bool keeps(const Problem& problem, const Pair& at) const override {
    return TiledSteps::keeps(problem, {at.batch, at.head, at.query, at.key % tile});
  }
};

struct DropoutIgnored : TiledSteps {
  bool keeps(const Problem&, const Pair&) const override { return true; }
  float kept_factor(double) const override { return 1; }
};

struct DropoutNotScaled : TiledSteps {
  float kept_factor(double) const override { return 1; }
};

const Registrations<Mutant> registered{
    {.name = "dropout_before_sum",
     .summary = "adds up only the weights that dropout keeps, so that they are divided by too little",
     .source = "aws-neuron/nki-samples PR #80",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x4x4 dropout=0.5",
     .variant = "dropout before the sum",
     .kernel = [] { return tiled_mutant<DropoutBeforeSum>("dropout_before_sum"); },
     .twin = tiled_twin},
    {.name = "dropout_counts_in_tile",
     .summary = "draws with the number of a key within its tile, so that all tiles drop alike",
     .property = "dropout_pairs",
     .reason = "dropout-pairs",
     .problem = "shape=1x1x8x32x8 dropout=0.5",
     .kernel = [] { return tiled_mutant<DropoutCountsInTile>("dropout_counts_in_tile"); },
     .twin = tiled_twin},
    {.name = "dropout_ignored",
     .summary = "keeps every pair, and scales it nevertheless not at all",
     .source = "facebookresearch/xformers PR #123",
     .property = "dropout_pairs",
     .reason = "dropout-pairs",
     .problem = "shape=1x1x4x4x4 dropout=0.5",
     .variant = "dropout ignored",
     .kernel = [] { return tiled_mutant<DropoutIgnored>("dropout_ignored"); },
     .twin = tiled_twin},
    {.name = "dropout_not_scaled",
     .summary = "forgets the factor 1 / (1 - rate)",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x4x4 dropout=0.5",
     .variant = "dropout not scaled",
     .kernel = [] { return tiled_mutant<DropoutNotScaled>("dropout_not_scaled"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
