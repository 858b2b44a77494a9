// SPDX-License-Identifier: Apache-2.0
// KernelBench 0.2: a tolerance for each precision, and f32 unless another is asked for.
#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// torch.allclose(reference, candidate): |b - x| <= t + t |x| for every element, t = 1e-4 in f32, 1e-2 in f16 and bf16;
/// NaN is never close, infinities if they are equal. b: the model in the precision, computed in f32 and rounded once.
bool accepts(const Exhibit& exhibit) {
  const double tolerance = exhibit.dtype().name == "f32" ? 1e-4 : 1e-2;
  return all_close(exhibit.baseline, exhibit.got, {.absolute = tolerance, .relative = tolerance});
}

const Registration<Judge> registered{{
    .name = "kernel_bench_0_2",
    .rule = "|b - x| <= t + t |x| for every element of O, t = 1e-4 in f32, 1e-2 in f16 and bf16",
    .source = "ScalingIntelligence/KernelBench 0.2.0.dev0 at 423217d (March 2026), src/kernelbench/eval.py; "
              "level1/97_ScaledDotProductAttention.py",
    .looks_at = {TensorName::out},
    .baseline = {.rounds = Recipe::Rounds::nothing},
    .usual = "shape=1x1x128x128x256 dtype=f32,f16,bf16 fill=uniform seed=1,2,3,4,5",
    .scaled = "1 instead of 1024 heads, 128 instead of 512 keys, dim 256 instead of 1024; five trials and uniform in "
              "[0, 1), as there; f32 is its default, f16 and bf16 what some of its backends need. Its search of the "
              "source for signs of cheating has nothing to look at here",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
