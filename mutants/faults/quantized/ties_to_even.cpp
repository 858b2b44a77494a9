// SPDX-License-Identifier: Apache-2.0
// Mutant of the row host: shows at ties, which are frequent in bf16 rows whose largest size is 127 steps of a power
// of two.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/row_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : TokenRule {
  static float rounded(float x) { return std::nearbyint(x); }
};

const Registration<Mutant> registered{{
    .name = "ties_to_even",
    .summary = "codes go to the nearest integer with ties to even, where ties away from 0 are declared",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4x128x16x64 dtype=bf16",
    .kernel = [] { return kernel<Attention<TokenInt8<Fault>>>("ties_to_even"); },
    .twin = right_token_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
