// SPDX-License-Identifier: Apache-2.0
// Splits of keys that are lost, rounded or merged in two bases.
#include <iterator>

#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/right.hpp"
#include "mutants/hosts/pipelines/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

/// Shows with more than 4096 keys.
struct MergeHasThirtyTwoLanes : SplitPolicy {
  static float merge(const Problem& p, const std::vector<Part>& parts, const float* sink, float* out) {
    const std::vector<Part> lanes(parts.begin(), parts.begin() + std::min<std::ptrdiff_t>(32, std::ssize(parts)));
    return SplitPolicy::merge(p, lanes, sink, out);
  }
};

/// Shows in f16 with many keys, most where weights are level, and as infinities where weights times V pass 65504.
struct OutputAddedUpInHalf : SplitPolicy {
  static float accumulated(const Problem& p, float x) { return p.value.format == Format::f16 ? f16_rounded(x) : x; }
};

/// Shows where the tiles are no multiple of the splits, for more than 128 keys: 300 or 600, while 256, 500 and 512
/// are right. The last keys are missing.
struct ShareOfASplitRoundedDown : SplitPolicy {
  static Range split(const Sequence& s, Index number, Index splits) {
    const Index share = std::max<Index>(1, ceil_div(s.keys, kKeys) / splits);
    return {std::min(s.keys, number * share * kKeys), std::min(s.keys, (number + 1) * share * kKeys)};
  }
};

/// Shows with a sink and more than 128 keys: it weighs 2^sink, not e^sink.
struct SinkEntersMergeInBaseTwo : SplitPolicy {
  static float merge(const Problem& p, const std::vector<Part>& parts, const float* sink, float* out) {
    const float ln2 = 0.693147181f, changed = sink ? *sink * ln2 : 0.0f;
    return SplitPolicy::merge(p, parts, sink && parts.size() > 1 ? &changed : sink, out);
  }
};

/// The split host with a fault.
template <class Fault>
SharedKernel split(const char* name) {
  return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>(name);
}

const Registrations<Mutant> registered{
    {.name = "merge_has_thirty_two_lanes",
     .summary = "the merge has a lane for each split, 32 of them, and no loop: later splits are lost",
     .source = "flashinfer-ai/flashinfer PR #4573",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x4300x16",
     .batch = "third",
     .kernel = [] { return split<MergeHasThirtyTwoLanes>("merge_has_thirty_two_lanes"); },
     .twin = right_split_fused},
    {.name = "output_added_up_in_half",
     .summary = "with f16 inputs the output of a split is added up in f16",
     .source = "ggml-org/llama.cpp PR #17746, ggml-org/llama.cpp PR #13975",
     .property = "keys_twice",
     .reason = "keys-twice",
     .problem = "shape=1x2x4x2048x32 dtype=f16",
     .batch = "third",
     .kernel = [] { return split<OutputAddedUpInHalf>("output_added_up_in_half"); },
     .twin = right_split_fused},
    {.name = "share_of_a_split_rounded_down",
     .summary = "tiles of 32 keys are divided among splits with the remainder dropped",
     .source = "tile-ai/tilelang PR #2010",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x300x16",
     .batch = "third",
     .kernel = [] { return split<ShareOfASplitRoundedDown>("share_of_a_split_rounded_down"); },
     .twin = right_split_fused},
    {.name = "sink_enters_merge_in_base_two",
     .summary = "the merge works in base 2: log_sum_exp of the splits is converted, the sink is not; rows of one split "
                "take another way and are right",
     .source = "ROCm/rocm-libraries #12227",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x200x16 score=sink:head",
     .batch = "third",
     .kernel = [] { return split<SinkEntersMergeInBaseTwo>("sink_enters_merge_in_base_two"); },
     .twin = right_split_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
