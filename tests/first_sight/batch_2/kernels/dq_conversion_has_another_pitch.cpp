// SPDX-License-Identifier: Apache-2.0
// Above dim 64 the kernel adds dQ up in rows of dim rounded to 16, and the conversion reads rows of dim rounded to 32.
// Thread: Dao-AILab/flash-attention #2896: dq_accum rounded to 16 in the kernel and to 32 in the interface, dQ silently
// wrong for 72 and 104. Shows in dQ for dims above 64 that the two roundings tell apart.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  index_t dq_pitch(const Call& c) const override { return round_up(c.a.dim, c.a.dim > 64 ? 16 : 32); }
  index_t dq_pitch_of_conversion(const Call& c) const override { return round_up(c.a.dim, 32); }
};

EXPORT_KERNEL(TiledForward, Fault)
