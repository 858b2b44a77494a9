// SPDX-License-Identifier: Apache-2.0
// Mutant of the row-panel host: shows with sinks and ALiBi where a block holds rows of several heads, as all do in
// decoding.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : RowPanel {
  Int head_of_parameters(const RowCall& call, Int kv_head, Int /*m*/, Int first, Int queries) const override {
    return kv_head * call.group + first / queries;
  }
};

const Registration<Mutant> registered{{
    .name = "parameters_of_first_row_of_block",
    .summary = "sink and slope are read once for a block of packed rows, for the head of its first row",
    .source = "sgl-project/sgl-kernel-xpu PR #254, modular/modular PR #6591",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/1x1x16x8 score=alibi",
    .kernel = [] { return row_kernel<Fault>("parameters_of_first_row_of_block"); },
    .twin = right_row_panel,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
