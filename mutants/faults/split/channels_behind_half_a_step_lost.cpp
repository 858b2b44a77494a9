// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows in dims above 64 that are 1 to 7 above a multiple of 16.
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

  int product_steps() const override {
    return dim > 64 && dim % 16 < 8 ? static_cast<int>(dim / 16) : Fragments::product_steps();
  }
};

const Registration<Mutant> registered{{
    .name = "channels_behind_half_a_step_lost",
    .summary = "above dim 64 the steps of 16 channels are rounded to the nearest number: fewer than eight "
               "channels that remain take no part in q.k",
    .source = "triton-lang/triton #621",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x8x12x68",
    .kernel = [] { return kernel<Fault, Stored>("channels_behind_half_a_step_lost"); },
    .twin = right_fragments_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
