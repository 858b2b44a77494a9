// SPDX-License-Identifier: Apache-2.0
// FlexAttention: the mean error, compared with that of eager attention.
#include <cmath>

#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// With means over the whole tensor: | mean|x - g| - mean|b - g| | <= 1e-7 + f mean|b - g|, f = 1.1 in f16 and bf16, 10
/// in f32: effectively 2.1 and 11 times. NaN fails. b: eager mode, where matrix products are rounded to the format, and
/// scores are scaled, changed and weighed in f32.
bool accepts(const Exhibit& exhibit) {
  const double factor = exhibit.dtype().name == "f32" ? 10 : 1.1;
  const double error = mean_distance(exhibit.got, exhibit.golden);
  const double of_baseline = mean_distance(exhibit.baseline, exhibit.golden);
  constexpr double least = 1e-7;
  return std::abs(error - of_baseline) <= least + factor * of_baseline;
}

const Registration<Judge> registered{{
    .name = "flex_attention",
    .rule = "mean |x - g| <= (1 + f) mean |b - g| + 1e-7, f = 1.1, in f32 10",
    .source = "pytorch/pytorch, test/inductor/test_flex_attention.py",
    .looks_at = {TensorName::out, TensorName::dquery, TensorName::dkey, TensorName::dvalue},
    .baseline = {.rounds = Recipe::Rounds::matrices, .delta_from_output = true},
    .usual = "shape=1x2x256x256x64 mask=causal dtype=f16 pass=forward+backward\n"
             "shape=1x2x128x128x64 mask=full,causal dtype=bf16,f32 pass=forward+backward\n"
             "shape=1x4/2x128x128x64 score=alibi mask=causal dtype=f16 pass=forward+backward\n"
             "shape=1x2x128x128x64 score=softcap:20 mask=window:32:0 dtype=f16 pass=forward+backward\n"
             "shape=1x2x100x200x64 score=bias:head dtype=f16 pass=forward+backward",
    .scaled = "128 or 256 instead of 2048 keys, 2 instead of 32 heads; a sample of its score and mask functions",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
