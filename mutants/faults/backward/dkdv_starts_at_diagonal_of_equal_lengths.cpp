// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows in dK and dV under causal with more keys than queries.
#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  static Int dkdv_first_query(Int first_key, Int off, Int right) {
    return right == 0 ? first_key : Policy::dkdv_first_query(first_key, off, right);
  }
};

const Registration<Mutant> registered{{
    .name = "dkdv_starts_at_diagonal_of_equal_lengths",
    .summary = "under causal the kernel for dK and dV starts at the query that has the number of the first "
               "key, as if there were as many queries as keys",
    .source = "triton-lang/triton PR #2033, Dao-AILab/flash-attention PR #436",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x16x36x4 mask=causal pass=forward+backward",
    .kernel = [] { return kernel<Fault>("dkdv_starts_at_diagonal_of_equal_lengths"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
