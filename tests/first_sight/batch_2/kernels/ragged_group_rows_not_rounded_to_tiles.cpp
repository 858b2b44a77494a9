// SPDX-License-Identifier: Apache-2.0
// In a ragged batch the sums of a group lie at rows rounded down to whole tiles; the conversion reads them at the rows
// before rounding. Thread: SandAI-org/MagiAttention #329 (padded_offset_k recomputed by hand: dk, dv wrong under varlen
// + GQA), Dao-AILab/flash-attention #2337. Shows in dK and dV for ragged and grouped heads, from the second sequence
// on, unless it begins at a multiple of 32.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  index_t group_row_of_conversion(const Call& c, const Sequence& s) const override {
    return c.ragged() ? s.first_key + s.number * kKeys : group_row(c, s);
  }
};

EXPORT_KERNEL(TiledForward, Fault)
