// SPDX-License-Identifier: Apache-2.0
// Mutant of the expanded backward host: shows in dK and dV with grouped heads and more than one kv head.
#include "mutants/hosts/fourth_batch/cascade.hpp"
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Expanded {
  using Expanded::Expanded;

  Int member(Int kv, Int n) const override { return kv + n * a.kv_heads; }
};

const Registration<Mutant> registered{{
    .name = "group_sums_gather_every_kv_heads_th_head",
    .summary = "dK and dV of a kv head are summed over the query heads kv, kv + kv_heads, ..., as if heads "
               "were tiled and not repeated",
    .source = "ekzhang/jax-js PR #180, EricLBuehler/candle-vllm PR #52",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x4/2x16x24x16 pass=forward+backward",
    .kernel = [] { return kernel<Cascade, Fault>("group_sums_gather_every_kv_heads_th_head"); },
    .twin = right_cascade_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
