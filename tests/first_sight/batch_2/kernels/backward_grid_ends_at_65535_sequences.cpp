// SPDX-License-Identifier: Apache-2.0
// The grid of the backward kernel has the batch in its z axis: sequences from 65535 on are not computed, and get no
// gradients. Thread: SandAI-org/MagiAttention #40: z dimension below 65536, the kernel is skipped without an error
// (also pytorch/pytorch #142228). Shows for batches above 65535.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  index_t launched_sequences(const Call& c) const override { return std::min<index_t>(c.a.batch, 65535); }
};

EXPORT_KERNEL(TiledForward, Fault)
