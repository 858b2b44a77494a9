// SPDX-License-Identifier: Apache-2.0
// Mutant: a window begins where it should, and ends with the query of the same number.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct WindowEndsTopLeft : TiledSteps {
  TileMask mask(const Mask& mask, const Sequence& sequence) const override {
    return *TileMask::of(mask.rule() == "window" ? mask & Mask("causal:top_left") : mask, sequence);
  }
};

const Registration<Mutant> registered{{
    .name = "window_ends_top_left",
    .summary = "aligns the left end of a window with the last key, and its right end with the first",
    .source = "ROCm/flash-attention #158",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x3x2 mask=window:1:0",
    .kernel = [] { return tiled_mutant<WindowEndsTopLeft>("window_ends_top_left"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
