// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows where rows of V lie further apart than those of K; elsewhere it would read beyond
// V.
#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  static Int value_row_stride(const Call& c) {
    const bool ends_in_v = c.key.stride[2] <= c.value.stride[2];
    return ends_in_v ? c.key.stride[2] : Policy::value_row_stride(c);
  }
};

const Registration<Mutant> registered{{
    .name = "value_block_takes_row_stride_of_key",
    .summary = "the rows of a block of V are found by the stride of K",
    .source = "flagos-ai/FlagAttention PR #46, flagos-ai/FlagAttention #45",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x8x8x8 layout=bhsd+value/bshd",
    .kernel = [] { return kernel<Fault>("value_block_takes_row_stride_of_key"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
