// SPDX-License-Identifier: Apache-2.0
// Rows that are found by a narrow offset or by the strides of another tensor.
#include "mutants/hosts/staged_blocks/block_program.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {
namespace {

/// Shows where a row lies 2^31 elements or more behind the first.
struct RowOffsetsIn32Bits : Policy {
  /// A real int would be negative now and then, and end the process.
  static Int row_offset(Int row, Int stride) { return stride > INT32_MAX ? row * stride : (row * stride) & 0x7FFFFFFF; }
};

/// Shows where rows of V lie further apart than those of K; elsewhere it would read beyond V.
struct ValueBlockTakesRowStrideOfKey : Policy {
  static Int value_row_stride(const Call& c) {
    const bool ends_in_v = c.key.stride[2] <= c.value.stride[2];
    return ends_in_v ? c.key.stride[2] : Policy::value_row_stride(c);
  }
};

const Registrations<Mutant> registered{
    {.name = "row_offsets_in_32_bits",
     .summary =
         "the number of a row times its stride is kept in an int, unless the stride itself is too large for that",
     .source = "thu-ml/SageAttention #386, pytorch/pytorch #190857, fla-org/flash-linear-attention #1080",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x3x4 layout=bhsd+key/sparse",
     .batch = "fifth",
     .kernel = [] { return kernel<RowOffsetsIn32Bits>("row_offsets_in_32_bits"); },
     .twin = right_block_program},
    {.name = "value_block_takes_row_stride_of_key",
     .summary = "the rows of a block of V are found by the stride of K",
     .source = "flagos-ai/FlagAttention PR #46, flagos-ai/FlagAttention #45",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x8x8x8 layout=bhsd+value/bshd",
     .batch = "fifth",
     .kernel = [] { return kernel<ValueBlockTakesRowStrideOfKey>("value_block_takes_row_stride_of_key"); },
     .twin = right_block_program},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::block_program
