// SPDX-License-Identifier: Apache-2.0
// Mutant of the host with matrices: shows in every kv head but the first, with a partial block of keys at the end.
#include "mutants/hosts/sixth_batch/block_codes.hpp"
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : BlockInt8 {
  index key_scale_read_at(const attestone_args& a, index head, index row) const override {
    return head * (a.keys / key_block()) + row / key_block();
  }
};

const Registration<Mutant> registered{{
    .name = "scale_rows_too_short",
    .summary = "scales of K are written in rows of as many blocks as there are, and read as if a row had only its "
               "whole blocks",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=2x1x2x66x4 dtype=f16",
    .kernel = [] { return kernel<Fault>("scale_rows_too_short"); },
    .twin = right_block_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
