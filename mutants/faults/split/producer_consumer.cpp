// SPDX-License-Identifier: Apache-2.0
// Splits of a decoding step that leave out keys, sums or the rule that the sink counts once.
#include "mutants/hosts/staged_blocks/producer_consumer.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {
namespace {

/// Shows in decoding where the keys are no multiple of the splits.
struct SplitLengthRoundsDown : Policy {
  static Int split_length(Int keys, Int splits) { return keys / splits; }
};

/// Shows in decoding with a sink where a window leaves the first split without keys.
struct SplitSinkTwiceWhenFirstSplitIsEmpty : Policy {
  static bool seeds_sink(Int split, bool empty, bool empty_before) { return split == 0 || (!empty && empty_before); }
};

/// Shows in split decoding where log_sum_exp is not asked for.
struct SplitSumsKeptOnlyIfLseIsAskedFor : Policy {
  static bool stores_partial_sums(const Call& c) { return static_cast<bool>(c.log_sum_exp); }
};

const Registrations<Mutant> registered{
    {.name = "split_length_rounds_down",
     .summary = "the keys are divided by the number of splits and nobody takes the remainder",
     .source = "tile-ai/TileOPs PR #20",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x129x8",
     .batch = "fifth",
     .kernel = [] { return kernel<SplitLengthRoundsDown>("split_length_rounds_down"); },
     .twin = right_producer_consumer},
    {.name = "split_sink_twice_when_first_split_is_empty",
     .summary = "a split that has no keys publishes the sink, and the first split with keys takes it once more",
     .source = "ROCm/rocm-libraries #12227",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x128x8 mask=window:40:0 score=sink:head",
     .batch = "fifth",
     .kernel = [] { return kernel<SplitSinkTwiceWhenFirstSplitIsEmpty>("split_sink_twice_when_first_split_is_empty"); },
     .twin = right_producer_consumer},
    {.name = "split_sums_kept_only_if_lse_is_asked_for",
     .summary =
         "a split stores its maximum and sum only where the caller wants log_sum_exp, although the merge needs them",
     .source = "flashinfer-ai/flashinfer PR #50",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x128x8 wants=out",
     .batch = "fifth",
     .kernel = [] { return kernel<SplitSumsKeptOnlyIfLseIsAskedFor>("split_sums_kept_only_if_lse_is_asked_for"); },
     .twin = right_producer_consumer},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
