// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows with dropout and causal where tiles of queries are skipped (more than 32
// keys).
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  index_t dropout_row(index_t i, index_t first_visited) const override { return i - first_visited; }
};

const Registration<Mutant> registered{{
    .name = "dropout_rows_count_from_first_visited_tile",
    .summary = "the dropout counter of the backward pass counts rows from the first tile of queries that a tile of "
               "keys visits",
    .source = "facebookresearch/xformers #755, pytorch/pytorch #102038",
    .property = "dropout_pairs",
    .reason = "dropout-pairs",
    .problem = "shape=1x2x80x80x16 mask=causal dropout=0.2 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("dropout_rows_count_from_first_visited_tile"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
