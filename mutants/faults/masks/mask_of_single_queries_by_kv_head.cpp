// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows with one query, grouped heads, and a mask that differs from head to head.
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Fragments {
  using Fragments::Fragments;

  bool mask_byte(const Sequence& s, Int h, Int i, Int j) const override {
    return Fragments::mask_byte(s, a.queries == 1 ? h / group : h, i, j);
  }
};

const Registration<Mutant> registered{{
    .name = "mask_of_single_queries_by_kv_head",
    .summary = "with one query the heads of a group stand for rows, and the mask is read at the kv head",
    .source = "HKUSTDial/flash-sparse-attention #107",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/2x1x32x16 mask=dense:50",
    .kernel = [] { return kernel<Fault, Expanded>("mask_of_single_queries_by_kv_head"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
