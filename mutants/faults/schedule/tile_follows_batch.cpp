// SPDX-License-Identifier: Apache-2.0
// Mutant: a tile size for large batches.
#include "mutants/hosts/scheduled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

index tile(const Problem& problem) { return problem.shape.batch > 2 ? small_tile : usual_tile; }

const Registration<Mutant> registered{{
    .name = "tile_follows_batch",
    .summary =
        "takes smaller tiles of keys for three sequences and more, and declares that rows do not follow the batch",
    .source = "pegainfer-project/pegainfer #623",
    .property = "batch_invariant",
    .reason = "schedule",
    .problem = "shape=1x1x4x33x2",
    .kernel = [] { return tile_chooser("tile_follows_batch", tile, tile); },
    .twin = tile_chooser_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
