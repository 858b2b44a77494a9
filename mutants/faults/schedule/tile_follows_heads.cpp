// SPDX-License-Identifier: Apache-2.0
// Mutant: a tile size for many heads.
#include "mutants/hosts/scheduled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

index tile(const Problem& problem) { return problem.shape.kv_heads > 2 ? small_tile : usual_tile; }

const Registration<Mutant> registered{{
    .name = "tile_follows_heads",
    .summary =
        "takes smaller tiles of keys for three kv heads and more, and declares that rows do not follow their number",
    .property = "heads_invariant",
    .reason = "schedule",
    .problem = "shape=1x1x4x33x2",
    .kernel = [] { return tile_chooser("tile_follows_heads", tile, tile); },
    .twin = tile_chooser_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
