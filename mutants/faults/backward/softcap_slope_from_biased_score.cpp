// SPDX-License-Identifier: Apache-2.0
// Mutant of the row-panel host: shows in gradients with softcap and a bias or ALiBi.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : RowPanel {
  float cap_slope(const RowCall& call, const Score& score) const override {
    const float tanh = score.value / call.softcap();
    return 1 - tanh * tanh;
  }
};

const Registration<Mutant> registered{{
    .name = "softcap_slope_from_biased_score",
    .summary = "the backward pass takes the tanh of softcap from the final score, to which ALiBi or a bias has "
               "been added",
    .source = "Dao-AILab/flash-attention PR #1033",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x8x8x8 score=softcap:3&alibi pass=forward+backward",
    .kernel = [] { return row_kernel<Fault>("softcap_slope_from_biased_score"); },
    .twin = right_row_panel,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
