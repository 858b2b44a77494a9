// SPDX-License-Identifier: Apache-2.0
// KernelBench as it was published: one tolerance, whose relative part is scaled by the candidate.
#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// torch.allclose(reference, candidate): |b - x| <= 1e-2 + 1e-2 |x| for every element, in every format; NaN is never
/// close, infinities if they are equal. b: the model in the format, computed in f32 and rounded once.
bool accepts(const Exhibit& exhibit) {
  constexpr double tolerance = 1e-2;
  return all_close(exhibit.baseline, exhibit.got, {.absolute = tolerance, .relative = tolerance});
}

const Registration<Judge> registered{{
    .name = "kernel_bench",
    .rule = "|b - x| <= 1e-2 + 1e-2 |x| for every element of O",
    .source = "ScalingIntelligence/KernelBench until November 2025 (before 2c3dbda), src/eval.py; "
              "level1/97_ScaledDotProductAttention.py",
    .looks_at = {TensorName::out},
    .baseline = {.rounds = Recipe::Rounds::nothing},
    .usual = "shape=1x1x128x128x256 dtype=f16 fill=uniform seed=1,2,3,4,5",
    .scaled = "1 instead of 1024 heads, 128 instead of 512 keys, dim 256 instead of 1024; five trials and uniform in "
              "[0, 1), as there",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
