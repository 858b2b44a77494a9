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
  static float rounded(float x) { return std::trunc(x); }
};

const Registration<Mutant> registered{{
    .name = "rounds_toward_zero",
    .summary = "codes are cut off without half a step before it",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x4x4 dtype=f16",
    .kernel = [] { return kernel<Attention<TokenInt8<Fault>>>("rounds_toward_zero"); },
    .twin = right_token_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
