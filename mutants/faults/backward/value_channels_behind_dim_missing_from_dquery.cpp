// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dQ alone, with value_dim > dim.
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
  float dweight_for_query(const Unit& u, int64_t i, int64_t j, float) const override {
    float sum = 0;
    for (int64_t d = 0; d < std::min(call->a.dim, call->a.value_dim); ++d)
      sum += dout.get(u.b, u.h, i, d) * call->value.get(u.b, u.kv_head, j, d);
    return sum;
  }
};

const Registration<Mutant> registered{{
    .name = "value_channels_behind_dim_missing_from_dquery",
    .summary = "the kernel of dQ declares dO and V with dim channels where they have value_dim: what lies behind is "
               "missing from dO.v",
    .source = "XunhaoLai/native-sparse-attention-triton #27",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x24x8:16 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("value_channels_behind_dim_missing_from_dquery"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
