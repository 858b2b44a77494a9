// SPDX-License-Identifier: Apache-2.0
// Mutant of the host with matrices: shows with more than 64 keys.
#include "mutants/hosts/sixth_batch/block_codes.hpp"
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : BlockInt8 {
  index key_block() const override { return query_block; }
};

const Registration<Mutant> registered{{
    .name = "key_blocks_of_128",
    .summary = "a block of 128 keys shares a scale, as one of queries does, where 64 are declared",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x80x64 scale=0.4 dtype=f16",
    .kernel = [] { return kernel<Fault>("key_blocks_of_128"); },
    .twin = right_block_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
