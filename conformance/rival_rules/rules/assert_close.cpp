// SPDX-License-Identifier: Apache-2.0
// torch.testing.assert_close with its default tolerances.
#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// |x - r| <= atol + rtol |r| for every element; NaN is never close, infinities if they are equal. (rtol, atol): f16
/// (1e-3, 1e-5), bf16 (1.6e-2, 1e-5), f32 (1.3e-6, 1e-5), f64 (1e-7, 1e-7).
bool accepts(const Exhibit& exhibit) {
  const std::string_view format = exhibit.dtype().name;
  const Closeness close = format == "f16"    ? Closeness{.absolute = 1e-5, .relative = 1e-3}
                          : format == "bf16" ? Closeness{.absolute = 1e-5, .relative = 1.6e-2}
                          : format == "f32"  ? Closeness{.absolute = 1e-5, .relative = 1.3e-6}
                                             : Closeness{.absolute = 1e-7, .relative = 1e-7};
  return all_close(exhibit.got, exhibit.rounded, close);
}

const Registration<Judge> registered{{
    .name = "assert_close",
    .rule = "|x - fl(g)| <= 1e-5 + rtol |fl(g)|, rtol = 1e-3 (f16), 1.6e-2 (bf16), 1.3e-6 (f32)",
    .source = "pytorch/pytorch, torch/testing/_comparison.py",
    .looks_at = {TensorName::out, TensorName::log_sum_exp, TensorName::dquery, TensorName::dkey, TensorName::dvalue},
    .usual = "shape=1x2x128x128x64 mask=full,causal dtype=f32,f16,bf16 pass=forward+backward",
    .scaled = "it has no inputs of its own: these are those of a usual test, normal, a multiple of every tile",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
