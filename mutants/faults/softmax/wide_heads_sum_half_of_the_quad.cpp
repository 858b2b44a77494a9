// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows for dim above 128: an output that is too large by a factor, and log_sum_exp.
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

  void quad_sum(RowPair& x) const override {
    for (const int step : {1, 2})
      if (step == 1 || dim <= 128) x = added(x, shuffled(x, step));
  }
};

const Registration<Mutant> registered{{
    .name = "wide_heads_sum_half_of_the_quad",
    .summary = "for heads wider than 128 the sum of weights is reduced over two of the four lanes of a quad",
    .source = "flashinfer-ai/flashinfer PR #3838",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x24x136",
    .kernel = [] { return kernel<Fault, Stored>("wide_heads_sum_half_of_the_quad"); },
    .twin = right_fragments_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
