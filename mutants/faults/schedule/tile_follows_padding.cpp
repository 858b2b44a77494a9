// SPDX-License-Identifier: Apache-2.0
// Mutant: a path of its own for padded batches.
#include "mutants/hosts/scheduled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

index tile(const Problem& problem) { return !problem.lengths.empty() ? small_tile : usual_tile; }

const Registration<Mutant> registered{{
    .name = "tile_follows_padding",
    .summary = "takes smaller tiles of keys where there are lengths, and declares that rows do not follow the padding",
    .property = "padding_invariant",
    .reason = "schedule",
    .problem = "shape=1x1x4x33x2",
    .kernel = [] { return tile_chooser("tile_follows_padding", tile, tile); },
    .twin = tile_chooser_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
