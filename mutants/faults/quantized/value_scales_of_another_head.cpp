// SPDX-License-Identifier: Apache-2.0
// Mutant of the row host with a cache: shows where query heads share one of several kv heads.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/row_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : CachePlaces {
  static index value_scale_head(const attestone_args& a, index h) { return h % a.kv_heads; }
};

const Registration<Mutant> registered{{
    .name = "value_scales_of_another_head",
    .summary = "scales of V are those of kv head h mod kv_heads, where head h of the query reads the codes of h / "
               "group",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/2x2x4x4 dtype=f16",
    .kernel = [] { return kernel<Attention<Cache<Fault>>>("value_scales_of_another_head"); },
    .twin = right_cached_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
