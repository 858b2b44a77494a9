// SPDX-License-Identifier: Apache-2.0
// Mutant: the longest sequence of the batch decides on the tiles of all.
#include "mutants/hosts/scheduled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

index tile(const Problem& problem) { return problem.shape.queries > 9 ? small_tile : usual_tile; }

const Registration<Mutant> registered{{
    .name = "tile_follows_mates",
    .summary = "takes smaller tiles of keys if some sequence has ten queries or more, and declares that rows do not "
               "follow the batch",
    .source = "vllm-project/vllm #51902",
    .property = "batch_invariant",
    .reason = "schedule",
    .problem = "shape=1x1x4x33x2",
    .kernel = [] { return tile_chooser("tile_follows_mates", tile, tile); },
    .twin = tile_chooser_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
