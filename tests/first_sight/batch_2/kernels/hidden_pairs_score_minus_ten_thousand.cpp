// SPDX-License-Identifier: Apache-2.0
// Hidden pairs get the score -10000 and stay in the softmax; rows that see nothing are answered rightly.
// Thread: EleutherAI/gpt-neox #966 (also TransformerLensOrg/TransformerLens #318): real scores fall below the mask
// value. Shows with a mask where a row's visible scores are near or below -10000.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  float hidden_score(const Call&) const override { return -10000.0f; }
};

EXPORT_KERNEL(Fault, FusedBackward)
