// SPDX-License-Identifier: Apache-2.0
// Parts of a row that all hold the sink, or that are merged in another base.
#include "mutants/hosts/row_panels/split_kv.hpp"

#include "mutants/hosts/row_panels/kernel.hpp"
#include "mutants/hosts/row_panels/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::row_panels {
namespace {

/// Shows where the keys of a sequence are split.
struct PartsMergedInBaseTwo : SplitKv {
  float merge_weight(float of_part, float of_all) const override { return std::exp2(of_part - of_all); }
};

/// Shows with sinks where the keys of a sequence are split.
struct SinkInEveryPart : SplitKv {
  bool begins_with_sink(const Work& /*work*/) const override { return true; }
};

const Registrations<Mutant> registered{
    {.name = "parts_merged_in_base_two",
     .summary = "parts are merged by powers of two of their maxima, which are natural",
     .source = "sgl-project/sglang #33064, vllm-project/vllm PR #28840",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x130x8",
     .batch = "fifth",
     .kernel = [] { return row_kernel<PartsMergedInBaseTwo>("parts_merged_in_base_two"); },
     .twin = right_split_kv},
    {.name = "sink_in_every_part",
     .summary = "each part of a split row begins with the sink, which is counted once for every part",
     .source = "ROCm/rocm-libraries #12227",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4x2x70x4 score=sink:head",
     .batch = "fifth",
     .kernel = [] { return row_kernel<SinkInEveryPart>("sink_in_every_part"); },
     .twin = right_split_kv},
};

}  // namespace
}  // namespace attestone::inline mutants::row_panels
