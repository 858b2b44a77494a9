// SPDX-License-Identifier: Apache-2.0
// Mutant: the left end of a window is taken one key too far.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct WindowOffByOne : TiledSteps {
  bool visible(const TileMask& mask, index query, index key) const override {
    return mask.visible(query, key) || mask.visible(query, key + 1);
  }
};

const Registration<Mutant> registered{{
    .name = "window_off_by_one",
    .summary = "a window of l keys to the left shows l + 1",
    .source = "huggingface/transformers #39408",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x4x8 mask=window:1:0",
    .variant = "window 1 key long on the left",
    .kernel = [] { return tiled_mutant<WindowOffByOne>("window_off_by_one"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
