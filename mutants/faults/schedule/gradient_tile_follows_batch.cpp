// SPDX-License-Identifier: Apache-2.0
// Mutant: a tile size for large batches, in the backward pass alone.
#include "mutants/hosts/scheduled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

index usual(const Problem&) { return usual_tile; }
index tile(const Problem& problem) { return problem.shape.batch > 2 ? small_tile : usual_tile; }

const Registration<Mutant> registered{{
    .name = "gradient_tile_follows_batch",
    .summary = "adds up dQ over smaller tiles of keys for three sequences and more, and declares that rows do not "
               "follow the batch",
    .property = "batch_invariant",
    .reason = "schedule",
    .problem = "shape=1x1x4x33x2 pass=forward+backward",
    .kernel = [] { return tile_chooser("gradient_tile_follows_batch", usual, tile); },
    .twin = tile_chooser_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
