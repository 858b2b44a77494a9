// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows with window:l:r, r above 0, and keys that are no multiple of the tile.
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Fragments {
  using Fragments::Fragments;

  bool allows(const Sequence& s, Int h, Int i, Int j) const override {
    if (banded() && a.causal == 0 && a.window_right > 0 && !bias) return j >= 0 && sees(s, h, i, j);
    return Fragments::allows(s, h, i, j);
  }
};

const Registration<Mutant> registered{{
    .name = "window_test_replaces_length_test",
    .summary = "under a window with a right side the test of the window stands in place of the test of the "
               "length: keys behind the last one, zeros in the tile, are visible",
    .source = "tile-ai/tilelang #1139",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x24x40x16 mask=window:30:8",
    .kernel = [] { return kernel<Fault, Stored>("window_test_replaces_length_test"); },
    .twin = right_fragments_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
