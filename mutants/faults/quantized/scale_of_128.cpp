// SPDX-License-Identifier: Apache-2.0
// Mutant of the row host: shows everywhere.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/row_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : TokenRule {
  static constexpr float steps = 128;
};

const Registration<Mutant> registered{{
    .name = "scale_of_128",
    .summary = "a scale is the largest size / 128, not / 127, and what would be 128 saturates",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x4x4 dtype=f16",
    .kernel = [] { return kernel<Attention<TokenInt8<Fault>>>("scale_of_128"); },
    .twin = right_token_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
