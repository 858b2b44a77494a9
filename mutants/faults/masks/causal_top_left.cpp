// SPDX-License-Identifier: Apache-2.0
// Mutant: causal is aligned at the top left, so that with more keys than queries the newest keys are lost.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct CausalTopLeft : TiledSteps {
  /// As if there were as many queries as keys: position i is query i.
  TileMask mask(const Mask& mask, const Sequence& sequence) const override {
    return *TileMask::of(mask, {sequence.keys, sequence.keys});
  }
};

const Registration<Mutant> registered{{
    .name = "causal_top_left",
    .summary = "query i sees keys 0 to i under causal, also when there are more keys than queries",
    .source = "Dao-AILab/flash-attention #282",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1 mask=causal",
    .variant = "causal:top_left",
    .kernel = [] { return tiled_mutant<CausalTopLeft>("causal_top_left"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
