// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows when keys - queries puts the diagonal of a query tile across two key tiles: future
// keys leak.
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
  bool needs_mask(const Unit& u, int64_t q0, int64_t q1, int64_t k0, int64_t k1, bool last) const override {
    const attestone_args& a = call->a;
    if (a.mask_form == ATTESTONE_MASK_BAND && a.causal && a.window_left < 0 && a.window_right < 0) return last;
    return TiledForward::needs_mask(u, q0, q1, k0, k1, last);
  }
};

const Registration<Mutant> registered{{
    .name = "only_last_causal_tile_is_masked",
    .summary = "only the key tile on the diagonal is masked under causal; the one before it counts as full, which is "
               "so while queries and keys begin at the same tile",
    .source = "Dao-AILab/flash-attention PR #436",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x64x112x32 mask=causal",
    .kernel = [] { return kernel<Fault, FusedBackward>("only_last_causal_tile_is_masked"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
