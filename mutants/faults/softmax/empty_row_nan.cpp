// SPDX-License-Identifier: Apache-2.0
// Mutant: a query that sees no key answers 0 / 0.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct EmptyRowNaN : TiledSteps {
  float finished(float o, float l) const override { return o / l; }
};

const Registration<Mutant> registered{{
    .name = "empty_row_nan",
    .summary = "an empty row is divided by its sum of 0",
    .source = "pytorch/pytorch #103963",
    .property = "empty_rows",
    .reason = "empty-row",
    .problem = "shape=1x1x2x1x1 mask=causal",
    .kernel = [] { return tiled_mutant<EmptyRowNaN>("empty_row_nan"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
