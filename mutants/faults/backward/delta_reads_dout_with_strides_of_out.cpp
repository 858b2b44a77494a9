// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows in gradients where dO lies otherwise than O.
#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  static const Tensor& dout_of_preprocess(const Call& c) { return c.out; }
};

const Registration<Mutant> registered{{
    .name = "delta_reads_dout_with_strides_of_out",
    .summary = "the kernel that computes delta finds dO by the strides of O",
    .source = "Dao-AILab/flash-attention #355, flagos-ai/FlagAttention PR #1",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x8x8x8 layout=bhsd+dout/bshd pass=forward+backward",
    .kernel = [] { return kernel<Fault>("delta_reads_dout_with_strides_of_out"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
