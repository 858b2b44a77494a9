// SPDX-License-Identifier: Apache-2.0
// Mutant of the row-panel host: shows under causal masks and windows where a block of packed rows reaches from one
// head into the next.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : RowPanel {
  Range block_keys(const std::vector<Row>& rows) const override {
    return {rows.front().keys.begin, rows.back().keys.end};
  }
};

const Registration<Mutant> registered{{
    .name = "block_range_of_last_row",
    .summary = "a block of packed rows takes its keys from its first and its last row, as if its rows were "
               "ascending queries of one head",
    .source = "Dao-AILab/flash-attention PR #2528",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2/1x12x12x8 mask=causal",
    .kernel = [] { return row_kernel<Fault>("block_range_of_last_row"); },
    .twin = right_row_panel,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
