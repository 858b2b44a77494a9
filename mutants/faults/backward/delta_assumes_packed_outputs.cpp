// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows where O or dO lie otherwise: layout=bshd and others. dQ, dK (and dbias,
// dsink) go wrong, dV does not.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  static bool repeats(const Tensor& t) {
    for (int axis = 0; axis < 4; ++axis)
      if (t.stride[axis] == 0 && t.extent[axis] > 1) return true;
    return t.ragged();
  }
  float delta_of(const Unit& u, int64_t i) const override {
    if (repeats(dout) || repeats(call->out)) return FusedBackward::delta_of(u, i);
    const int64_t row = (u.b * call->a.heads + u.h) * call->a.queries + i;
    float sum = 0;
    for (int64_t d = 0; d < call->a.value_dim; ++d)
      sum += dout.load(row * call->a.value_dim + d) * call->out.load(row * call->a.value_dim + d);
    return sum;
  }
};

const Registration<Mutant> registered{{
    .name = "delta_assumes_packed_outputs",
    .summary = "the pass before the backward one reads O and dO as if they were packed [b, h, s, d]",
    .source = "flagos-ai/FlagAttention PR #1",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x3x16x16x8 layout=bshd pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("delta_assumes_packed_outputs"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
