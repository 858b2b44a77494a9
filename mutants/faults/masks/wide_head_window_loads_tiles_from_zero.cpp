// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows with dim > 128, a left window, and a first visible key behind the first key tile.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public TiledForward {
 protected:
  int64_t tile_source(const Unit&, int64_t k0, const KeyRange& range) const override {
    if (call->a.dim <= 128 || call->a.mask_form != ATTESTONE_MASK_BAND || call->a.window_left < 0) return k0;
    return k0 - range.first / kKeyTile * kKeyTile;
  }
};

const Registration<Mutant> registered{{
    .name = "wide_head_window_loads_tiles_from_zero",
    .summary = "the tile for heads wider than 128 counts the key tiles of a window from 0 and ignores where the window "
               "begins when it loads K and V; the mask still goes by the true keys",
    .source = "sgl-project/sgl-flash-attn PR #50",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x256x256 mask=window:32:0",
    .kernel = [] { return kernel<Fault, FusedBackward>("wide_head_window_loads_tiles_from_zero"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
