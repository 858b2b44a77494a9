// SPDX-License-Identifier: Apache-2.0
// Mutant: one mask for four rows.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaskPerFourRows : TiledSteps {
  bool visible(const TileMask& mask, index query, index key) const override { return mask.visible(query | 3, key); }
};

const Registration<Mutant> registered{{
    .name = "mask_per_four_rows",
    .summary = "masks four rows at once, by the last of them, so that three of four see keys to come",
    .source = "pytorch/pytorch #195910",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x2x1 mask=causal",
    .kernel = [] { return tiled_mutant<MaskPerFourRows>("mask_per_four_rows"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
