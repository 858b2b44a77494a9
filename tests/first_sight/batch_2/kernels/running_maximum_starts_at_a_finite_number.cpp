// SPDX-License-Identifier: Apache-2.0
// The online softmax begins with the maximum -5e4 in place of -infinity; a row that lies below it underflows, and is
// answered with 0. Thread: flashinfer-ai/flashinfer #4267: rows come out as zeros when every logit is below -5e4. Shows
// where all scores of a row are below -5e4.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  float first_maximum() const override { return -5e4f; }
};

EXPORT_KERNEL(Fault, FusedBackward)
