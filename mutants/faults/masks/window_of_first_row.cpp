// SPDX-License-Identifier: Apache-2.0
// Mutant: one left edge of the window for a whole tile.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct WindowOfFirstRow : TiledSteps {
  bool visible(const TileMask& mask, index query, index key) const override {
    return mask.visible(query, key) || (query < tile && mask.visible(0, key));
  }
};

const Registration<Mutant> registered{{
    .name = "window_of_first_row",
    .summary = "lets the first tile of queries see what the window of its first row shows",
    .source = "flashinfer-ai/flashinfer #4972",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x3x4x1 mask=window:1:0",
    .kernel = [] { return tiled_mutant<WindowOfFirstRow>("window_of_first_row"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
