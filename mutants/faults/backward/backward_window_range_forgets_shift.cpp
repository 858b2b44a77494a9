// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows with a left window and more queries than keys (padded and ragged sequences
// included): rows are missing.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  KeyRange query_range(const Unit& u, int64_t k0, int64_t k1) const override {
    KeyRange range = FusedBackward::query_range(u, k0, k1);
    if (call->a.mask_form == ATTESTONE_MASK_BAND && call->a.window_left >= 0)
      range.last = std::min(u.queries, k1 + call->a.window_left);
    return range;
  }
};

const Registration<Mutant> registered{{
    .name = "backward_window_range_forgets_shift",
    .summary = "the query tiles that a key tile meets end at key + left, without queries - keys, which is the same "
               "only while both are equal",
    .source = "ROCm/aiter PR #3742",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x128x64x16 mask=window:16:0 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("backward_window_range_forgets_shift"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
