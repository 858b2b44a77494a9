// SPDX-License-Identifier: Apache-2.0
// The fused attention tutorial of Triton: an absolute tolerance, and widely copied.
#include "conformance/problems/standard_normal.hpp"
#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// |x - b| <= 1e-2 for every element of O, dQ, dK and dV; NaN is never close. b: PyTorch in f16, everything rounded, P
/// too.
bool accepts(const Exhibit& exhibit) { return all_close(exhibit.got, exhibit.baseline, {.absolute = 1e-2}); }

/// Q, K and V with standard deviation 0.5, dO with 1.
double element(const Draw& draw, TensorName tensor) {
  constexpr double deviation = 0.5;
  return tensor == TensorName::dout ? standard_normal(draw) : deviation * standard_normal(draw);
}

const Registration<Judge> registered{{
    .name = "triton_tutorial",
    .rule = "|x - b| <= 1e-2 for every element of O and the gradients",
    .source = "triton-lang/triton, python/tutorials/06-fused-attention.py",
    .looks_at = {TensorName::out, TensorName::dquery, TensorName::dkey, TensorName::dvalue},
    .baseline = {.rounds = Recipe::Rounds::everything},
    .usual = "shape=1x2x128x128x64 mask=full,causal scale=0.5 dtype=f16 pass=forward+backward\n"
             "shape=1x2x256x256x64 mask=causal scale=0.5 dtype=f16 pass=forward+backward",
    .scaled = "128 and 256 instead of 128 and 1024 keys, batch 1 of 1 or 4; normal with deviation 0.5, as there",
    .element = element,
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
