// SPDX-License-Identifier: Apache-2.0
// Mutant: a tile size for decoding.
#include "mutants/hosts/scheduled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

index tile(const Problem& problem) { return problem.shape.queries < 4 ? small_tile : usual_tile; }

const Registration<Mutant> registered{{
    .name = "tile_follows_queries",
    .summary = "takes smaller tiles of keys for fewer than four queries, and declares that rows do not follow the "
               "chunks of a prefill",
    .source = "flashinfer-ai/flashinfer #2424",
    .property = "chunks_invariant",
    .reason = "schedule",
    .problem = "shape=1x1x4x33x2",
    .kernel = [] { return tile_chooser("tile_follows_queries", tile, tile); },
    .twin = tile_chooser_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
