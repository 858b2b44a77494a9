// SPDX-License-Identifier: Apache-2.0
// The diagonal's offset keys - queries is taken once from the padded extents, not from each sequence's own lengths.
// Thread: ROCm/rocm-libraries #10999: DIAG_OFF is baked from the padded maxima under varlen, silently wrong.
// Shows for causal masks, windows and ALiBi in batches with lengths, in both passes alike.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

template <class Host>
class Fault : public Host {
 protected:
  Sequence sequence(const Call& c, index_t b) const override {
    Sequence s = Host::sequence(c, b);
    s.shift = c.a.keys - c.a.queries;
    return s;
  }
};

EXPORT_KERNEL(Fault<TiledForward>, Fault<FusedBackward>)
