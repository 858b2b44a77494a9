// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dV for value_dim > 128 in layouts like bshd, packed_qkv and strided.
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
  void store_dvalue(const Call& c, const float* x, index_t b, index_t h, index_t r) const override {
    Tensor dense = c.dvalue;
    if (c.a.value_dim > 128 && dense.stride[3] == 1)
      dense.stride[2] = std::min<int64_t>(dense.stride[2], c.a.value_dim);
    store_row(x, dense, b, h, r, c.a.value_dim);
  }
};

const Registration<Mutant> registered{{
    .name = "dvalue_rows_are_dense_above_dim_128",
    .summary = "above 128 channels dV is stored with rows of value_dim elements, wherever the rows of dV really lie",
    .source = "Dao-AILab/flash-attention #2541",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x12x20x136 layout=bshd pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("dvalue_rows_are_dense_above_dim_128"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
