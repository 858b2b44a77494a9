// SPDX-License-Identifier: Apache-2.0
// KernelBench: one tolerance, whose relative part is scaled by the candidate.
#include "conformance/kill_matrix/judges/distance.hpp"
#include "conformance/kill_matrix/judges/judge.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// torch.allclose(reference, candidate): |b - x| <= t + t |x| for every element, t = 1e-2 in f16 and bf16, 1e-4 in f32;
/// NaN is never close, infinities if they are equal. b: the model in the format, computed in f32 and rounded once.
bool accepts(const Exhibit& exhibit) {
  const double tolerance = exhibit.dtype().name == "f32" ? 1e-4 : 1e-2;
  return all_close(exhibit.baseline, exhibit.got, {.absolute = tolerance, .relative = tolerance});
}

const Registration<Judge> registered{{
    .name = "kernel_bench",
    .rule = "|b - x| <= t + t |x| for every element of O, t = 1e-2, in f32 1e-4",
    .source = "ScalingIntelligence/KernelBench, src/eval.py; level1/97_ScaledDotProductAttention.py",
    .looks_at = {TensorName::out},
    .baseline = {.rounds = Recipe::Rounds::nothing},
    .usual = "shape=1x1x128x128x256 dtype=f16 fill=uniform seed=1,2,3,4,5",
    .scaled = "1 instead of 1024 heads, 128 instead of 512 keys, dim 256 instead of 1024; five trials and uniform in "
              "[0, 1), as there",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone
