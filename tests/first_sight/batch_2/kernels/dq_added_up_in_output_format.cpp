// SPDX-License-Identifier: Apache-2.0
// Without determinism each tile of keys adds its dQ to a 16-bit image, in place of the f32 workspace.
// Thread: AMD-AGI/Primus-Turbo #480 (buffer_atomic_pk_add_bf16 into one image); ROCm/composable_kernel #1397 moved such
// sums to fp32 for accuracy. Shows in dQ for bf16 and f16 with deterministic=0 and many tiles of 32 keys.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  void add_dq(const Call& c, float& sum, float x) const override {
    sum = c.a.deterministic == 0 ? rounded_like(c.a.dquery, sum + x) : sum + x;
  }
};

EXPORT_KERNEL(TiledForward, Fault)
