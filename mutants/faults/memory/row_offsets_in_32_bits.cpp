// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows where a row lies 2^31 elements or more behind the first.
#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  /// A real int would be negative now and then, and end the process.
  static Int row_offset(Int row, Int stride) { return stride > INT32_MAX ? row * stride : (row * stride) & 0x7FFFFFFF; }
};

const Registration<Mutant> registered{{
    .name = "row_offsets_in_32_bits",
    .summary = "the number of a row times its stride is kept in an int, unless the stride itself is too "
               "large for that",
    .source = "thu-ml/SageAttention #386, pytorch/pytorch #190857, fla-org/flash-linear-attention #1080",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x3x4 layout=bhsd+key/sparse",
    .kernel = [] { return kernel<Fault>("row_offsets_in_32_bits"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
