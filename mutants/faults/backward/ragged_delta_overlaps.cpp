// SPDX-License-Identifier: Apache-2.0
// Mutant of the row-panel host: shows in dQ and dK of a ragged batch where a sequence has other than a multiple of
// 16 queries.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : RowPanel {
  Int delta_offset(const RowCall& call, const Sequence& s) const override {
    return call.ragged() ? s.first_query / block_rows() * block_rows() : RowPanel::delta_offset(call, s);
  }
};

const Registration<Mutant> registered{{
    .name = "ragged_delta_overlaps",
    .summary = "in a ragged batch delta of a sequence begins at its first row rounded down to a block, where "
               "delta of the one before may not have ended",
    .source = "Dao-AILab/flash-attention PR #2150",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x1x20x20x8 lengths=20+10 query_lengths=20+10 layout=ragged pass=forward+backward",
    .kernel = [] { return row_kernel<Fault>("ragged_delta_overlaps"); },
    .twin = right_row_panel,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
