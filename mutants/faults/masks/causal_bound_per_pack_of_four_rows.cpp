// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows in f16 and bf16 under causal: three rows of four see keys of the future.
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

  bool in_band(const Sequence& s, Int i, Int j) const override {
    if (q.format == Format::f32 || a.causal == 0 || bounded_left()) return Rules::in_band(s, i, j);
    return j <= (i | 3) + s.shift;
  }
};

const Registration<Mutant> registered{{
    .name = "causal_bound_per_pack_of_four_rows",
    .summary = "with 16-bit inputs the causal bound is that of the last of four rows that a vector holds",
    .source = "pytorch/pytorch #195910",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x32x48x16 mask=causal dtype=bf16",
    .kernel = [] { return kernel<Fault, Expanded>("causal_bound_per_pack_of_four_rows"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
