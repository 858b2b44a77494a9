// SPDX-License-Identifier: Apache-2.0
// Mutant of the row host: shows in rows whose largest size is that of a negative number.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/row_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : TokenRule {
  static float largest(const Row& x) {
    float a = 0;
    for (const float v : x) a = std::isnan(v) || v > a ? v : a;
    return a;
  }
};

const Registration<Mutant> registered{{
    .name = "signed_maximum",
    .summary = "the scale comes from the largest number of a row, not from the largest size: negative numbers that "
               "are larger saturate",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x4x4 dtype=f16",
    .kernel = [] { return kernel<Attention<TokenInt8<Fault>>>("signed_maximum"); },
    .twin = right_token_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
