// SPDX-License-Identifier: Apache-2.0
// Mutant of the host with matrices: shows where 64 does not divide the keys, and in the codes alone: log_sum_exp
// gets back what was subtracted.
#include "mutants/hosts/sixth_batch/block_codes.hpp"
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : BlockInt8 {
  double mean_count(const attestone_args& a) const override {
    return static_cast<double>(ceil_div(a.keys, key_block()) * key_block());
  }
};

const Registration<Mutant> registered{{
    .name = "mean_over_padded_count",
    .summary = "the mean of K is the sum of its rows over the number of rows that whole tiles would have",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x5x4 dtype=f16 fill=channel_offset",
    .kernel = [] { return kernel<Fault>("mean_over_padded_count"); },
    .twin = right_block_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
