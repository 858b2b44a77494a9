// SPDX-License-Identifier: Apache-2.0
// The gradient of the bias is added up in the 16-bit tensor itself.
// Thread: HKUSTDial/flash-sparse-attention #193: accumulation of broadcast bias gradients fixed for correctness and
// numerical stability. Shows in dbias for bf16 and f16 where the bias repeats (pair, head, batch, key) and many terms
// meet.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  void add_dbias(const Call& c, float& sum, float x, bool) override { sum = rounded_like(c.a.dbias, sum + x); }
};

EXPORT_KERNEL(TiledForward, Fault)
