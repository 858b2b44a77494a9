// SPDX-License-Identifier: Apache-2.0
// Mutant of the row-panel host: shows in gradients with dropout and more than 256 keys.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/row_panel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : RowPanel {
  Int dropout_key(Int key, Int strip_begin) const override { return key - strip_begin; }
};

const Registration<Mutant> registered{{
    .name = "dropout_key_local_to_strip",
    .summary = "the backward pass draws dropout by the number of a key within its strip, the forward pass by its "
               "own",
    .source = "Dao-AILab/flash-attention PR #2439",
    .property = "dropout_pairs",
    .reason = "dropout-pairs",
    .problem = "shape=1x1x2x270x4 dropout=0.3 pass=forward+backward",
    .kernel = [] { return row_kernel<Fault>("dropout_key_local_to_strip"); },
    .twin = right_row_panel,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
