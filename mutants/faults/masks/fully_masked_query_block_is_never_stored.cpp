// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows where no query of a block of 32 sees a key.
#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  static bool skips_block(bool nothing_visible) { return nothing_visible; }
};

const Registration<Mutant> registered{{
    .name = "fully_masked_query_block_is_never_stored",
    .summary = "a block of queries that sees no key is dropped before the epilogue, and its rows keep what "
               "lay in the memory",
    .source = "ROCm/aiter PR #5556",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x40x4x8 mask=causal",
    .kernel = [] { return kernel<Fault>("fully_masked_query_block_is_never_stored"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
