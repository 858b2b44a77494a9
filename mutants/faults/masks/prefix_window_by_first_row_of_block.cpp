// SPDX-License-Identifier: Apache-2.0
// Mutant of the cascade host: shows with a left window, more than one query, and at least 16 keys before the first of
// them.
#include "mutants/hosts/fourth_batch/cascade.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Cascade {
  using Cascade::Cascade;

  bool sees_prefix(const Sequence& s, Int h, Int i, Int i0, Int j) const override {
    if (!banded() || !bounded_left() || bias) return sees(s, h, i, j);
    return j >= i0 + s.shift - left() && (!bounded_right() || j <= i + s.shift + right());
  }
};

const Registration<Mutant> registered{{
    .name = "prefix_window_by_first_row_of_block",
    .summary = "in the cached prefix the left side of a window is that of the first of 16 queries, for all of "
               "them",
    .source = "pytorch/executorch PR #21857",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x32x300x16 mask=window:60:0",
    .kernel = [] { return kernel<Fault, Stored>("prefix_window_by_first_row_of_block"); },
    .twin = right_cascade_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
