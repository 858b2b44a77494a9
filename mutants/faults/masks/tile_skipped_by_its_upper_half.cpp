// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows with sparse masks of bytes and more than eight queries, most of all in the narrow
// tiles of dim above 128.
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

  bool visits(const Sequence& s, Int h, Int i0, Int i1, Int j0, Int j1) const override {
    if (a.mask_form != ATTESTONE_MASK_BYTES) return true;
    for (Int i = i0; i < std::min(i1, i0 + 8); ++i)
      for (Int j = j0; j < std::min(j1, s.keys); ++j)
        if (sees(s, h, i, j)) return true;
    return false;
  }
};

const Registration<Mutant> registered{{
    .name = "tile_skipped_by_its_upper_half",
    .summary = "whether a tile of a mask of bytes is visited is asked of eight rows, half of those that the "
               "tile has",
    .source = "mit-han-lab/radial-attention PR #54",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x32x64x136:8 mask=dense:2",
    .kernel = [] { return kernel<Fault, Expanded>("tile_skipped_by_its_upper_half"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
