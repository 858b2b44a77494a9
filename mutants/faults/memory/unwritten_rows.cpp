// SPDX-License-Identifier: Apache-2.0
// Mutant: the last tile of queries is not stored unless it is full.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct UnwrittenRows : TiledSteps {
  index rows_stored(index rows_of_tile) const override { return rows_of_tile == tile ? tile : 0; }
};

const Registration<Mutant> registered{{
    .name = "unwritten_rows",
    .summary = "the rows of a tile with fewer than 16 queries are never written",
    .source = "vllm-project/vllm-ascend PR #6558",
    .property = "guards",
    .reason = "unwritten",
    .problem = "shape=1x1x1x4x8",
    .kernel = [] { return tiled_mutant<UnwrittenRows>("unwritten_rows"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
