// SPDX-License-Identifier: Apache-2.0
// Mutant: the sink is counted once for every tile of keys.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SinkPerTile : TiledSteps {
  index sinks(index tiles) const override { return tiles; }
};

const Registration<Mutant> registered{{
    .name = "sink_per_tile",
    .summary = "adds the sink to the denominator once a tile instead of once a row",
    .source = "ROCm/rocm-libraries #12227",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x17x1 score=sink:head",
    .variant = "sink twice",
    .kernel = [] { return tiled_mutant<SinkPerTile>("sink_per_tile"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
