// SPDX-License-Identifier: Apache-2.0
// Mutant of the row-panel host: shows in dK, dBias and dSink where nobody asks for dQ.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : RowPanel {
  bool needs_delta(const RowCall& call) const override { return static_cast<bool>(call.dquery); }
};

const Registration<Mutant> registered{{
    .name = "delta_only_with_dquery",
    .summary = "the pass that makes delta belongs to dQ and does not run where nobody asks for dQ: the other "
               "gradients take it for 0",
    .source = "pytorch/pytorch PR #188302, pytorch/pytorch #148476",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x8x8x8 pass=forward+backward wants=out+log_sum_exp+dkey+dvalue",
    .kernel = [] { return row_kernel<Fault>("delta_only_with_dquery"); },
    .twin = right_row_panel,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
