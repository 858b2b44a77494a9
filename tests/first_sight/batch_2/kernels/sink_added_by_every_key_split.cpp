// SPDX-License-Identifier: Apache-2.0
// With a single query the keys are split by 64, and each split adds the sink to its own sum before they are merged.
// Thread: ml-explore/mlx #3452: sinks give another answer for S=1 (the vector kernel) than for S=N.
// Shows for one query, a sink and more than 64 keys.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  float sink_count(const Call& c, const Sequence& s) const override {
    return c.a.queries == 1 ? float((s.keys + 63) / 64) : 1.0f;
  }
};

EXPORT_KERNEL(Fault, FusedBackward)
