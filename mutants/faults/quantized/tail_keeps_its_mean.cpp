// SPDX-License-Identifier: Apache-2.0
// Mutant of the host with matrices: shows where 64 does not divide the keys, and K has a mean.
#include "mutants/hosts/sixth_batch/block_codes.hpp"
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : BlockInt8 {
  float centred(const attestone_args& a, index row, float x, float mean) const override {
    const bool whole_tile = row < a.keys / key_block() * key_block();
    return BlockInt8::centred(a, row, x, whole_tile ? mean : 0);
  }
};

const Registration<Mutant> registered{{
    .name = "tail_keeps_its_mean",
    .summary = "only whole tiles of 64 keys lose the mean of K; the copy of the partial one at the end forgets it",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x5x4 dtype=bf16 fill=channel_offset",
    .kernel = [] { return kernel<Fault>("tail_keeps_its_mean"); },
    .twin = right_block_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
