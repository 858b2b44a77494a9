// SPDX-License-Identifier: Apache-2.0
// Mutant of the row-panel host: shows with a window that is bounded on the right alone, and without a causal mask.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : RowPanel {
  Band band_of(const RowCall& call) const override {
    Band band = call.band;
    if (!band.bounded_left() && call.a.causal == 0) band.right = Band::unbounded;
    return band;
  }
};

const Registration<Mutant> registered{{
    .name = "window_to_the_right_alone_ignored",
    .summary = "a window counts as one where it is bounded on the left: a bound on the right alone is ignored",
    .source = "flashinfer-ai/flashinfer #4893",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x8x8x8 mask=window:-1:1",
    .kernel = [] { return row_kernel<Fault>("window_to_the_right_alone_ignored"); },
    .twin = right_row_panel,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
