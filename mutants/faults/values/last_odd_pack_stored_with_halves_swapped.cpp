// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows where value_dim is 8, 24, 40, ...
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

  Int out_column(Int c) const override {
    const bool alone = value_dim % 16 == 8 && c >= value_dim - 8;
    return alone ? c ^ 4 : c;
  }
};

const Registration<Mutant> registered{{
    .name = "last_odd_pack_stored_with_halves_swapped",
    .summary = "the output is stored by pairs of packs of eight channels; of a last pack without a partner "
               "the halves change places",
    .source = "Dao-AILab/flash-attention PR #2553",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x24x24",
    .kernel = [] { return kernel<Fault, Expanded>("last_odd_pack_stored_with_halves_swapped"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
