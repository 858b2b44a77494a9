// SPDX-License-Identifier: Apache-2.0
// A tile of the mask counts as full when its four corners are visible, and is not masked any more; true of bands, not
// of what only bytes can say. pytorch/pytorch issue 182593 (full and partial blocks told apart too coarsely). Shows
// with masks of bytes that have holes inside of a tile of 32 queries and 64 keys: dilated, dense, needle, indices.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  template <class P>
  static bool is_full(const Problem& p, const Span& s, Index h, Index i0, Index i1, Index j0, Index j1) {
    if (p.a.mask_form != ATTESTONE_MASK_BYTES || p.bias) return PipelinedPolicy::is_full<P>(p, s, h, i0, i1, j0, j1);
    return mask_byte(p, s, h, i0, j0) && mask_byte(p, s, h, i0, j1 - 1) && mask_byte(p, s, h, i1 - 1, j0) &&
           mask_byte(p, s, h, i1 - 1, j1 - 1);
  }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
