// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dQ, dK, bias and sink where dO has another layout than O; dV is right.
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
  float delta(const Call& c, const Sequence& s, index_t h, index_t i) const override {
    const Tensor &out = c.out, &dout = c.dout;
    index_t extent = 1;  // elements of dO's memory: a real kernel would run past its end, this one wraps
    for (int axis = 0; axis < 4; ++axis) extent += std::max<index_t>(0, dout.extent[axis] - 1) * dout.stride[axis];
    const index_t from = out.offset(s.place, h, s.first_query + i);
    float sum = 0;
    for (index_t x = 0; x < c.a.value_dim; ++x)
      sum += out.load(from + x * out.stride[3]) * dout.load((from + x * out.stride[3]) % extent);
    return sum;
  }
};

const Registration<Mutant> registered{{
    .name = "delta_walks_dout_with_strides_of_out",
    .summary = "the row sums of dO.O take dO's elements by O's strides; the products with dO later go by its own",
    .source = "Dao-AILab/flash-attention #355, ROCm/flash-attention #40",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x2x16x24x16 layout=bhsd+dout/bshd pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("delta_walks_dout_with_strides_of_out"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
