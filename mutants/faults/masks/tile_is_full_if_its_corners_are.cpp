// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows with masks of bytes that have holes inside of a tile of 32 queries and 64 keys:
// dilated, dense, needle, indices.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  template <class P>
  static bool is_full(const Problem& p, const Sequence& s, Index h, Index i0, Index i1, Index j0, Index j1) {
    if (p.a.mask_form != ATTESTONE_MASK_BYTES || p.bias) return PipelinedPolicy::is_full<P>(p, s, h, i0, i1, j0, j1);
    return mask_byte(p, s, h, i0, j0) && mask_byte(p, s, h, i0, j1 - 1) && mask_byte(p, s, h, i1 - 1, j0) &&
           mask_byte(p, s, h, i1 - 1, j1 - 1);
  }
};

const Registration<Mutant> registered{{
    .name = "tile_is_full_if_its_corners_are",
    .summary = "a tile of the mask counts as full when its four corners are visible, and is not masked any more; true "
               "of bands, not of what only bytes can say",
    .source = "pytorch/pytorch #182593",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x64x128x16 mask=dense:90",
    .kernel =
        [] { return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>("tile_is_full_if_its_corners_are"); },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
