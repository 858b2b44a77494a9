// SPDX-License-Identifier: Apache-2.0
// BackendBench: one tolerance for every operator.
#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// torch.testing.assert_close(reference, candidate, 1e-2, 1e-2, equal_nan): |b - x| <= 1e-2 + 1e-2 |x|; NaN is close to
/// NaN. The tolerances that callers give are dropped. b: the operator in the format, computed in f32 and rounded once.
bool accepts(const Exhibit& exhibit) {
  constexpr double tolerance = 1e-2;
  return all_close(exhibit.baseline, exhibit.got, {.absolute = tolerance, .relative = tolerance, .equal_nan = true});
}

/// make_tensor of torch.testing: uniform in [-9, 9).
double element(const Draw& draw, TensorName) {
  constexpr double width = 18;
  return width * draw.uniform() - width / 2;
}

const Registration<Judge> registered{{
    .name = "backend_bench",
    .rule = "|b - x| <= 1e-2 + 1e-2 |x| for every element of O",
    .source = "meta-pytorch/BackendBench, BackendBench/utils.py; the OpInfo samples of PyTorch",
    .looks_at = {TensorName::out},
    .baseline = {.rounds = Recipe::Rounds::nothing},
    .usual = "shape=4x4x3x6x8 mask=full,causal:top_left dtype=bf16\n"
             "shape=4x1x3x6x8 mask=full,causal:top_left dtype=bf16\n"
             "shape=4x4x3x6x8 mask=full,causal:top_left dropout=0.5 dtype=bf16",
    .scaled = "nothing: these are its samples, uniform in [-9, 9), as there",
    .element = element,
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
