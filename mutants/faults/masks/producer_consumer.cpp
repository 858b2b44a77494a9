// SPDX-License-Identifier: Apache-2.0
// Tiles at the borders of a mask that are masked too late or stored elsewhere.
#include "mutants/hosts/staged_blocks/producer_consumer.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {
namespace {

/// Shows under a right border where keys - queries is no multiple of a tile of 32 keys.
struct CausalMaskStepsForgetQueryRemainder : Policy {
  static Int right_masked_tiles(Int tile_end, Int first_masked, const Sequence& s, bool bounded) {
    return bounded ? ceil_div(kBlockM + s.keys % kBlockN, kBlockN) : tile_end - first_masked;
  }
};

/// Shows in ragged batches with a sequence of queries and no keys.
struct EarlyExitWritesDenseLseSlotInRagged : Policy {
  static Int early_exit_lse_place(const Call& c, const Sequence& s, Int h, Int i) {
    if (!c.ragged()) return Policy::early_exit_lse_place(c, s, h, i);
    const Int place = (s.number * c.a.heads + h) * c.a.queries + i;
    return place < c.log_sum_exp.extent[1] * c.log_sum_exp.extent[2] ? place : -1;  // the memory ends there
  }
};

/// Shows with a left window and more queries than keys.
struct WindowRightClampedToNumberOfKeys : Policy {
  static Int window_right(Int right, const Call& c) {
    return !c.band.bounded_left() ? right : std::min<Int>(right, c.a.keys);
  }
};

const Registrations<Mutant> registered{
    {.name = "causal_mask_steps_forget_query_remainder",
     .summary = "how many tiles of keys need the causal mask is told by the remainder of the keys alone, so that the "
                "diagonal crosses one more",
     .source = "NVIDIA/cutlass PR #2480",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x36x64x8 mask=causal",
     .batch = "fifth",
     .kernel = [] { return kernel<CausalMaskStepsForgetQueryRemainder>("causal_mask_steps_forget_query_remainder"); },
     .twin = right_producer_consumer},
    {.name = "early_exit_writes_dense_lse_slot_in_ragged",
     .summary = "the log_sum_exp of a query tile without keys is written where it would lie in a dense tensor, "
                "although that of a ragged batch is packed",
     .source = "Dao-AILab/flash-attention #2842, Dao-AILab/flash-attention PR #2573",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=3x2x20x40x16 lengths=40+0+33 query_lengths=20+9+14 layout=ragged",
     .batch = "fifth",
     .kernel = [] { return kernel<EarlyExitWritesDenseLseSlotInRagged>("early_exit_writes_dense_lse_slot_in_ragged"); },
     .twin = right_producer_consumer},
    {.name = "window_right_clamped_to_number_of_keys",
     .summary = "with a left window, a right one without a border is set to the number of keys, which the position of "
                "early queries lies below",
     .source = "Dao-AILab/flash-attention #895",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x24x8x8 mask=window:40:-1",
     .batch = "fifth",
     .kernel = [] { return kernel<WindowRightClampedToNumberOfKeys>("window_right_clamped_to_number_of_keys"); },
     .twin = right_producer_consumer},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
