// SPDX-License-Identifier: Apache-2.0
// gpu-mode: per-task tolerances, and NaN and infinities at the same places.
#include <cmath>

#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// An element is wrong if |x - b| > atol + rtol |b|, or if just one of x and b is NaN, +infinity or -infinity; rtol =
/// 2e-2 and atol = 8e-3, those of the MLA decode task. b: the reference in PyTorch, everything in bf16.
bool is_wrong(double x, double reference) {
  constexpr double relative = 2e-2, absolute = 8e-3;
  if (std::isnan(x) != std::isnan(reference)) return true;
  if (std::isinf(x) || std::isinf(reference)) return x != reference;
  return std::abs(x - reference) > absolute + relative * std::abs(reference);
}

bool accepts(const Exhibit& exhibit) {
  for (std::size_t i = 0; i < exhibit.got.size(); ++i)
    if (is_wrong(exhibit.got[i], exhibit.baseline[i])) return false;
  return true;
}

const Registration<Judge> registered{{
    .name = "gpu_mode",
    .rule = "|x - b| <= 8e-3 + 2e-2 |b| for every element of O, NaN and infinities at the same places",
    .source = "gpu-mode, the public rules of the MLA decode task",
    .looks_at = {TensorName::out},
    .baseline = {.rounds = Recipe::Rounds::everything},
    .usual = "shape=2x8/1x1x512x576:512 dtype=bf16 seed=1,2",
    .scaled = "attention alone, without projections; 8 instead of 128 heads, 512 instead of 6144 keys",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
