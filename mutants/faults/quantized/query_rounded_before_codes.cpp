// SPDX-License-Identifier: Apache-2.0
// Mutant of the host with matrices: shows in bf16.
#include "mutants/hosts/sixth_batch/block_codes.hpp"
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : BlockInt8 {
  float scaled_query(const attestone_args& a, float x) const override {
    return narrow(static_cast<double>(BlockInt8::scaled_query(a, x)), format_of(a.query));
  }
};

const Registration<Mutant> registered{{
    .name = "query_rounded_before_codes",
    .summary = "the scaled query goes back to its own format before codes are made of it, as where q * scale is an "
               "operation of its own in a framework",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x8x8x16 dtype=bf16",
    .kernel = [] { return kernel<Fault>("query_rounded_before_codes"); },
    .twin = right_block_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
