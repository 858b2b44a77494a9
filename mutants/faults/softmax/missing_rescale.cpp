// SPDX-License-Identifier: Apache-2.0
// Mutant: the output is not rescaled when a later tile raises the maximum.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MissingRescale : TiledSteps {
  float shrink_output(float, float) const override { return 1; }
};

const Registration<Mutant> registered{{
    .name = "missing_rescale",
    .summary = "what O has summed so far keeps its old scale when the maximum rises",
    .source = "tile-ai/TileOPs PR #239",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x17x8 fill=monotone",
    .kernel = [] { return tiled_mutant<MissingRescale>("missing_rescale"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
