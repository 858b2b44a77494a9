// SPDX-License-Identifier: Apache-2.0
// Mutant of the stored backward host: shows in all gradients with window:l:0 and more keys than l.
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stored {
  using Stored::Stored;

  bool trailing() const { return banded() && bounded_left() && bounded_right() && right() == 0; }
  bool in_band(const Sequence& s, Int i, Int j) const override {
    return trailing() ? j <= i + s.shift : Stored::in_band(s, i, j);
  }
  Range keys_of_block(const Sequence& s, Int i0, Int i1) const override {
    return trailing() ? Range{0, keys_of(s, i0, i1).end} : Stored::keys_of_block(s, i0, i1);
  }
};

const Registration<Mutant> registered{{
    .name = "backward_of_causal_windows_is_plain_causal",
    .summary = "the backward pass of a window that ends at the query itself applies causal alone",
    .source = "meta-pytorch/MSLK PR #263",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x48x48x16 mask=window:10:0 pass=forward+backward",
    .kernel = [] { return kernel<Fragments, Fault>("backward_of_causal_windows_is_plain_causal"); },
    .twin = right_fragments_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
