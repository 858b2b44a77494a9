// SPDX-License-Identifier: Apache-2.0
// MagiAttention: twice the largest error of a low-precision peer, and twice its share of elements that are not close.
#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// max |a - b|; NaN if any difference is, but -infinity in both counts as infinitely far (calc_inf_norm).
double norm(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = a[i] == -infinity && b[i] == -infinity ? infinity : std::abs(a[i] - b[i]);
    if (std::isnan(distance)) return distance;
    largest = std::max(largest, distance);
  }
  return largest;
}

/// How far an element may be from the golden answer without being counted.
double relative_tolerance(const Exhibit& exhibit) {
  const bool bf16 = exhibit.dtype().name == "bf16";
  switch (exhibit.tensor) {
    case TensorName::log_sum_exp:
      return 0.001;
    case TensorName::dquery:
      return bf16 ? 0.3 : 0.2;
    case TensorName::dkey:
      return bf16 ? 0.15 : 0.08;
    default:
      return 0.05;
  }
}

double share_apart(const Exhibit& exhibit, const std::vector<double>& values) {
  constexpr double least = 1e-8;
  if (values.empty()) return 0;
  const std::size_t apart =
      count_apart(values, exhibit.rounded, {.absolute = least, .relative = relative_tolerance(exhibit)});
  return static_cast<double>(apart) / static_cast<double>(values.size());
}

/// With r the golden answer, rounded: max |x - r| <= 2 max |b - r|, and the share of elements with |x - r| > 1e-8 +
/// rtol |r| is at most twice that of b, or 0.005 for dQ, and never above 0.75; rtol = 0.05 for O and dV, 0.001 for
/// log_sum_exp, in bf16 (else) 0.3 (0.2) for dQ and 0.15 (0.08) for dK. b: the math backend of PyTorch in the format,
/// which scales q and k by the root of the scale and rounds everything; its log_sum_exp is that of scaled scores.
bool accepts(const Exhibit& exhibit) {
  constexpr double times = 2, most = 0.75, least_for_query = 0.005;
  if (!(norm(exhibit.got, exhibit.rounded) <= times * norm(exhibit.baseline, exhibit.rounded))) return false;
  const double least = exhibit.tensor == TensorName::dquery ? least_for_query : 0;
  const double allowed = std::clamp(times * share_apart(exhibit, exhibit.baseline), least, most);
  return share_apart(exhibit, exhibit.got) <= allowed;
}

const Registration<Judge> registered{{
    .name = "magi_attention",
    .rule = "max |x - fl(g)| <= 2 max |b - fl(g)|, and at most twice as many elements as of b are further than rtol "
            "|fl(g)| from it, rtol = 0.05, log_sum_exp 0.001, dQ 0.3, dK 0.15",
    .source = "SandAI-org/MagiAttention at 2c64135 (May 2026), tests/test_attn/test_flex_flash_attn.py and "
              "magi_attention/testing/precision.py",
    .looks_at = {TensorName::out, TensorName::log_sum_exp, TensorName::dquery, TensorName::dkey, TensorName::dvalue},
    .baseline = {.rounds = Recipe::Rounds::everything, .scales = Recipe::Scales::query_and_key},
    .usual = "shape=1x1x256x256x64 dtype=f16,bf16 pass=forward+backward\n"
             "shape=1x4/2x128x128x64 dtype=bf16 pass=forward+backward\n"
             "shape=1x4/2x256x256x64 mask=document:10 dtype=f16,bf16 pass=forward+backward\n"
             "shape=1x2x128x128x128 mask=block_causal:16,block:16 dtype=f16,bf16 pass=forward+backward\n"
             "shape=1x8/1x256x256x64 mask=causal&document:2 dtype=bf16 pass=forward+backward",
    .scaled = "128 or 256 instead of 1024 to 4096 rows, 1 to 8 instead of 1 to 32 heads; a sample of its slices, "
              "without inverse causal ones. Few of them are causal: where a row sees one key dQ is 0, and the noise of "
              "f32 is further from it than 1e-8. At most one row in a hundred is such a row there, and here. Its tests "
              "with sinks take another baseline and are left out",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
