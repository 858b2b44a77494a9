// SPDX-License-Identifier: Apache-2.0
// Split kernels whose merge weighs parts wrongly or leaves some out.
#include <algorithm>
#include <cmath>

#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PartsWeighAlike : SplitSteps {
  float weight_of_part(float, float) const override { return 1; }
};

struct PartSumsNotRescaled : SplitSteps {
  float merged_sum(float sum, float l_of_part, float) const override { return sum + l_of_part; }
};

struct MergeFromFirstMaximum : SplitSteps {
  float maximum(std::span<const float> maxima) const override {
    return maxima.empty() ? SplitSteps::maximum(maxima) : maxima[0];
  }
};

struct LastPartDivides : SplitSteps {
  float merged_sum(float, float l_of_part, float weight) const override { return weight * l_of_part; }
};

struct EmptyPartsMergeToNan : SplitSteps {
  float weight_of_part(float m_of_part, float m) const override { return std::exp(m_of_part - m); }
};

struct FirstPartMergedTwice : SplitSteps {
  index part_read(index part) const override { return part == 1 ? 0 : part; }
};

struct FourPartsMerged : SplitSteps {
  index parts_merged(index parts) const override { return std::min<index>(parts, 4); }
};

struct PartsOfKvHeadsMerged : SplitSteps {
  index heads_merged(const Shape& shape) const override { return shape.kv_heads; }
};

const Registrations<Mutant> registered{
    {.name = "parts_weigh_alike",
     .summary = "merges the parts as if they had the same maximum",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x33x8",
     .kernel = [] { return split_mutant<PartsWeighAlike>("parts_weigh_alike"); },
     .twin = split_twin},
    {.name = "part_sums_not_rescaled",
     .summary = "rescales O of a part but not its denominator",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x33x8",
     .kernel = [] { return split_mutant<PartSumsNotRescaled>("part_sums_not_rescaled"); },
     .twin = split_twin},
    {.name = "merge_from_first_maximum",
     .summary = "measures every part against the maximum of the first, which overflows",
     .source = "jzhang38/EasyContext #14",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x1x400x1 fill=monotone",
     .kernel = [] { return split_mutant<MergeFromFirstMaximum>("merge_from_first_maximum"); },
     .twin = split_twin},
    {.name = "last_part_divides",
     .summary = "divides the sum over all parts by the denominator of the last one",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x33x1",
     .kernel = [] { return split_mutant<LastPartDivides>("last_part_divides"); },
     .twin = split_twin},
    {.name = "empty_parts_merge_to_nan",
     .summary = "weighs parts by e^(m_part - m) also where both are -infinity",
     .source = "flashinfer-ai/flashinfer #4051",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x3x2x1 mask=causal",
     .kernel = [] { return split_mutant<EmptyPartsMergeToNan>("empty_parts_merge_to_nan"); },
     .twin = split_twin},
    {.name = "first_part_merged_twice",
     .summary = "merges the first part twice, and the second one never",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x33x8",
     .kernel = [] { return split_mutant<FirstPartMergedTwice>("first_part_merged_twice"); },
     .twin = split_twin},
    {.name = "four_parts_merged",
     .summary = "has room for the weights of four parts, and merges no more",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x129x1",
     .kernel = [] { return split_mutant<FourPartsMerged>("four_parts_merged"); },
     .twin = split_twin},
    {.name = "parts_of_kv_heads_merged",
     .summary = "merges as many heads as K has",
     .source = "mlc-ai/mlc-llm PR #1995",
     .property = "guards",
     .reason = "unwritten",
     .problem = "shape=1x2/1x1x1x1",
     .kernel = [] { return split_mutant<PartsOfKvHeadsMerged>("parts_of_kv_heads_merged"); },
     .twin = split_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
