// SPDX-License-Identifier: Apache-2.0
// Packed heads that take the slope of another head, and rows without keys that forget their sink.
#include "mutants/hosts/staged_blocks/producer_consumer.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {
namespace {

/// Shows in decoding with ALiBi and grouped heads.
struct DecodePackedGroupTakesSlopeOfKvHead : Policy {
  static Int decode_slope_head(Int /*h*/, Int kv) { return kv; }
};

/// Shows with sinks and queries that see no key.
struct KeylessShortcutForgetsSink : Policy {
  static float empty_lse(float sink, bool early_exit) { return early_exit ? -kInfinity : sink; }
};

const Registrations<Mutant> registered{
    {.name = "decode_packed_group_takes_slope_of_kv_head",
     .summary = "the packed heads of a group take the slope of ALiBi by the number of their kv head",
     .source = "Dao-AILab/flash-attention PR #540",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/2x1x8x8 score=alibi",
     .batch = "fifth",
     .kernel = [] { return kernel<DecodePackedGroupTakesSlopeOfKvHead>("decode_packed_group_takes_slope_of_kv_head"); },
     .twin = right_producer_consumer},
    {.name = "keyless_shortcut_forgets_sink",
     .summary = "the log_sum_exp of a query tile without keys is -inf, although the head has a sink",
     .source = "Dao-AILab/flash-attention PR #2706",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=2x2x8x16x8 lengths=0+16 score=sink:head",
     .batch = "fifth",
     .kernel = [] { return kernel<KeylessShortcutForgetsSink>("keyless_shortcut_forgets_sink"); },
     .twin = right_producer_consumer},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
