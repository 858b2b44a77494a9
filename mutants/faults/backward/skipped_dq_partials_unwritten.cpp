// SPDX-License-Identifier: Apache-2.0
// Mutant of the row-panel host: shows in dQ where masks let a block of rows skip a strip of keys, and the workspace
// held something.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : RowPanel {
  void skipped_partial(float* /*partial*/, Int /*elements*/) const override {}
};

const Registration<Mutant> registered{{
    .name = "skipped_dq_partials_unwritten",
    .summary = "the partial sum of dQ of a block of rows that skips a strip of keys is not written, and added up "
               "all the same",
    .source = "NVIDIA/cudnn-frontend PR #905, Dao-AILab/flash-attention PR #2896",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x4x270x4 mask=window:4:0 pass=forward+backward",
    .kernel = [] { return row_kernel<Fault>("skipped_dq_partials_unwritten"); },
    .twin = right_row_panel,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
