// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows with a left window where its edge crosses into the next tile of keys within 16
// rows.
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

  bool masks(const Sequence& s, Int i0, Int i1, Int j0, Int j1, bool leftmost) const override {
    const bool asked = leftmost || a.mask_form == ATTESTONE_MASK_BYTES || bias || j1 > s.keys;
    if (asked) return Fragments::masks(s, i0, i1, j0, j1, leftmost);
    return banded() && bounded_right() && j1 - 1 > i0 + s.shift + right();
  }
};

const Registration<Mutant> registered{{
    .name = "window_masked_in_its_leftmost_tile_only",
    .summary = "only the leftmost tile of a window is masked at its left side: in the tile behind it rows see "
               "keys left of their window",
    .source = "flashinfer-ai/flashinfer #4972",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x256x256x32 mask=window:100:0",
    .kernel = [] { return kernel<Fault, Expanded>("window_masked_in_its_leftmost_tile_only"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
