// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows for causal where queries and keys differ in number.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  bool in_band(const Call& c, const Sequence& s, index_t i, index_t j) const override {
    if (c.a.causal == 0) return FusedBackward::in_band(c, s, i, j);
    return j <= i && (c.a.window_left < 0 || j >= i + s.shift - c.a.window_left);
  }
};

const Registration<Mutant> registered{{
    .name = "backward_causal_aligned_top_left",
    .summary = "the forward pass aligns a causal mask bottom right, the backward pass masks key <= query",
    .source = "xlite-dev/ffpa-attn #300",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x24x16 mask=causal pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("backward_causal_aligned_top_left"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
