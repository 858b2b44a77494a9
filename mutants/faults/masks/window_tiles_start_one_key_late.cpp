// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows where the leftmost visible key of a query tile is the last key of a key tile: that
// key is lost.
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
  KeyRange key_range(const Unit& u, int64_t q0, int64_t q1) const override {
    KeyRange range = TiledForward::key_range(u, q0, q1);
    if (call->a.mask_form == ATTESTONE_MASK_BAND && call->a.window_left >= 0)
      range.first = std::max<int64_t>(0, q0 + u.shift + 1 - call->a.window_left);
    return {range.first, std::max(range.first, range.last)};
  }
};

const Registration<Mutant> registered{{
    .name = "window_tiles_start_one_key_late",
    .summary = "the first key tile of a windowed query tile is found for p + 1 - left, as if the window counted the "
               "query itself",
    .source = "ml-explore/mlx PR #3552",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x128x128x32 mask=window:33:0",
    .kernel = [] { return kernel<Fault, FusedBackward>("window_tiles_start_one_key_late"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
