// SPDX-License-Identifier: Apache-2.0
// Mutant of the row-panel host: shows in all gradients where dO lies otherwise than O.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : RowPanel {
  Tensor dout_of(const RowCall& call) const override {
    Tensor dout = call.dout;
    for (int axis = 0; axis < 4; ++axis) dout.stride[axis] = call.out.stride[axis];
    return dout;
  }
};

const Registration<Mutant> registered{{
    .name = "dout_read_with_strides_of_out",
    .summary = "the backward pass reads dO by the strides of O",
    .source = "Dao-AILab/flash-attention #355, pytorch/pytorch #133671",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x8x8x8 layout=bhsd+dout/transposed pass=forward+backward",
    .kernel = [] { return row_kernel<Fault>("dout_read_with_strides_of_out"); },
    .twin = right_row_panel,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
