// SPDX-License-Identifier: Apache-2.0
// Mutant of the cascade host: shows under causal where keys - queries is no multiple of 16.
#include "mutants/hosts/fourth_batch/cascade.hpp"
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Cascade {
  using Cascade::Cascade;

  bool sees_suffix(const Sequence& s, Int h, Int i, Int j) const override {
    if (!banded() || a.causal == 0 || bounded_left() || bias || s.shift < 0) return sees(s, h, i, j);
    return j - prefix_of(s) <= i;
  }
};

const Registration<Mutant> registered{{
    .name = "suffix_assumed_to_begin_with_first_query",
    .summary = "under causal the suffix is masked as if its first key were that of the first query, which "
               "lies up to 15 further where the prefix is no whole number of pages",
    .source = "sgl-project/sgl-kernel-xpu #196",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x40x16 mask=causal",
    .kernel = [] { return kernel<Fault, Expanded>("suffix_assumed_to_begin_with_first_query"); },
    .twin = right_cascade_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
