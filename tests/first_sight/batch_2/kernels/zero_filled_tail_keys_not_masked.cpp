// SPDX-License-Identifier: Apache-2.0
// Keys behind the last one are zeros in the tile and not masked in the backward pass: e^(0 - L) may be infinite, and
// infinity * 0 is NaN. Thread: NVIDIA/cudnn-frontend #676, symptom 1, and hao-ai-lab/FastVideo #925: padded lanes enter
// exp2(score - lse), Inf and NaN in dQ. Shows in dQ where keys are no multiple of 32 and a row's log_sum_exp is below
// about -88.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  bool tail_keys_are_masked() const override { return false; }
};

EXPORT_KERNEL(TiledForward, Fault)
