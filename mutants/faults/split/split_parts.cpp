// SPDX-License-Identifier: Apache-2.0
// Split kernels whose parts are lost, unwritten, scaled or placed wrongly.
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/changed_kernel.hpp"
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LastPartLost : SplitSteps {
  index parts(index keys) const override { return keys / part_keys(keys); }
};

struct FifthPartInFirstPlace : SplitSteps {
  index place(index part) const override { return part % 4; }
};

struct HiddenPartUnwritten : SplitSteps {
  bool writes_part(float l) const override { return l != 0; }
};

struct PartsAssumedPacked : SplitSteps {
  index stride_read(index, index value_dim) const override { return value_dim; }
};

struct PartsScaledTwice : SplitSteps {
  float kept_maximum(float m, float scale) const override { return m * scale; }
};

struct PartsInBase2 : SplitSteps {
  float kept_maximum(float m, float) const override { return m * std::numbers::log2e_v<float>; }
};

struct SmallerPartsInBase2 : SplitSteps {
  float weight_of_part(float m_of_part, float m) const override {
    return m_of_part == -std::numeric_limits<float>::infinity() ? 0 : std::exp2(m_of_part - m);
  }
};

struct BasesOfPartsMixed : SplitSteps {
  float kept_maximum(float m, float) const override { return m * std::numbers::log2e_v<float>; }
};

/// The answer's log_sum_exp in base 2.
void bases_of_parts_mixed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const View log_sum_exp = arguments.log_sum_exp;
  for_each_element(log_sum_exp, [&](index b, index h, index i, index c) {
    log_sum_exp.set(b, h, i, c, log_sum_exp.value(b, h, i, c) * std::numbers::log2e);
  });
}

const Registrations<Mutant> registered{
    {.name = "last_part_lost",
     .summary = "counts whole parts only, so that the keys behind the last one are never read",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x33x1",
     .kernel = [] { return split_mutant<LastPartLost>("last_part_lost"); },
     .twin = split_twin},
    {.name = "fifth_part_in_first_place",
     .summary = "keeps four parts of a row, and the fifth overwrites the first",
     .source = "Dao-AILab/flash-attention PR #2550",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x129x1",
     .kernel = [] { return split_mutant<FifthPartInFirstPlace>("fifth_part_in_first_place"); },
     .twin = split_twin},
    {.name = "hidden_part_unwritten",
     .summary = "leaves a part alone that sees no key, and the merge reads what was there before",
     .source = "ROCm/aiter PR #4711; flashinfer-ai/flashinfer PR #50",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x2x34x1 mask=causal:top_left",
     .kernel = [] { return split_mutant<HiddenPartUnwritten>("hidden_part_unwritten"); },
     .twin = split_twin},
    {.name = "parts_assumed_packed",
     .summary = "reads the parts as if their rows of O were not padded",
     .source = "Dao-AILab/flash-attention PR #2388",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x1x33x1",
     .kernel = [] { return split_mutant<PartsAssumedPacked>("parts_assumed_packed"); },
     .twin = split_twin},
    {.name = "parts_scaled_twice",
     .summary = "scales the maximum of a part again, which is scaled already",
     .source = "HKUSTDial/flash-sparse-attention PR #106",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x33x8",
     .kernel = [] { return split_mutant<PartsScaledTwice>("parts_scaled_twice"); },
     .twin = split_twin},
    {.name = "parts_in_base_2",
     .summary = "keeps the maximum of a part in base 2 and merges with e",
     .source = "sgl-project/sglang PR #35045",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x33x8",
     .kernel = [] { return split_mutant<PartsInBase2>("parts_in_base_2"); },
     .twin = split_twin},
    {.name = "smaller_parts_in_base_2",
     .summary = "weighs a part by 2^(m_part - m), which is right only where its maximum is that of the row",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x33x8",
     .kernel = [] { return split_mutant<SmallerPartsInBase2>("smaller_parts_in_base_2"); },
     .twin = split_twin},
    {.name = "bases_of_parts_mixed",
     .summary = "declares lse=log2, keeps the maximum of a part in base 2, and merges parts with e",
     .source = "sgl-project/sglang PR #35045",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x33x8",
     .kernel =
         [] {
           return changed(split_mutant<BasesOfPartsMixed>("bases_of_parts_mixed"),
                          {.conventions = Conventions{.lse = LogSumExpBase::log2}, .forward = bases_of_parts_mixed});
         },
     .twin = split_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
