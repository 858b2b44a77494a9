// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows in the gradient of a bias that all sequences share.
#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  static bool dbias_starts_over(const Call& c) { return c.dbias && c.dbias.extent[0] == 1; }
};

const Registration<Mutant> registered{{
    .name = "dbias_of_shared_bias_keeps_last_batch",
    .summary = "the gradient of a shared bias is stored instead of summed, so that only what the last "
               "sequence gives remains",
    .source = "HKUSTDial/flash-sparse-attention PR #190, HKUSTDial/flash-sparse-attention PR #193",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x1x8x8x8 score=bias:pair pass=forward+backward",
    .kernel = [] { return kernel<Fault>("dbias_of_shared_bias_keeps_last_batch"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
