// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dK and dV for ragged and grouped heads, from the second sequence on,
// unless it begins at a multiple of 32.
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
  index_t group_row_of_conversion(const Call& c, const Sequence& s) const override {
    return c.ragged() ? s.first_key + s.number * kKeys : group_row(c, s);
  }
};

const Registration<Mutant> registered{{
    .name = "ragged_group_rows_not_rounded_to_tiles",
    .summary = "in a ragged batch the sums of a group lie at rows rounded down to whole tiles; the conversion reads "
               "them at the rows before rounding",
    .source = "SandAI-org/MagiAttention #329, Dao-AILab/flash-attention #2337",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x4/2x24x40x16 lengths=37+20 layout=ragged pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("ragged_group_rows_not_rounded_to_tiles"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
