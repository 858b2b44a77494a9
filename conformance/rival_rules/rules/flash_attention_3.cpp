// SPDX-License-Identifier: Apache-2.0
// FlashAttention 3 and 4: twice the error of a low-precision peer and a term of arithmetic noise.
#include <algorithm>
#include <cmath>

#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// max |x - r| <= f max |b - r| + N(r) + a, r the golden answer rounded to the format; f = 2, with a softcap 3, and
/// then a = 3e-4 for gradients. N(t) = 2 max |fl(fl(t + 0.3) - 0.3) - t| is what the format itself loses. NaN anywhere
/// makes it false. b as for FlashAttention 2.
double arithmetic_noise(const Exhibit& exhibit) {
  constexpr double shift = 0.3;
  const DType& format = exhibit.dtype();
  double largest = 0;
  for (const double t : exhibit.rounded)
    largest = std::max(largest, std::abs(format.round(format.round(t + shift) - shift) - t));
  return 2 * largest;
}

bool accepts(const Exhibit& exhibit) {
  const bool softcap = exhibit.problem.score.softcap().has_value();
  const double factor = softcap ? 3 : 2, more = softcap && exhibit.tensor != TensorName::out ? 3e-4 : 0;
  return largest_distance(exhibit.got, exhibit.rounded) <=
         factor * largest_distance(exhibit.baseline, exhibit.rounded) + arithmetic_noise(exhibit) + more;
}

const Registration<Judge> registered{{
    .name = "flash_attention_3",
    .rule = "max |x - fl(g)| <= f max |b - fl(g)| + 2 max |fl(fl(g + 0.3) - 0.3) - g|, f = 2, with a softcap 3",
    .source = "Dao-AILab/flash-attention, hopper/test_flash_attn.py and tests/cute/test_flash_attn.py",
    .looks_at = {TensorName::out, TensorName::dquery, TensorName::dkey, TensorName::dvalue},
    .baseline = {.rounds = Recipe::Rounds::everything, .scales = Recipe::Scales::key},
    .usual = "shape=1x2x64x128x128 mask=full,causal dtype=f16,bf16 pass=forward+backward\n"
             "shape=1x6/3x113x203x64 mask=causal dtype=bf16 pass=forward+backward\n"
             "shape=1x2x128x192x64 score=softcap:15 dtype=bf16 pass=forward+backward\n"
             "shape=1x2x113x128x64 mask=window:40:20 dtype=bf16 pass=forward+backward\n"
             "shape=1x2x64x128x64 score=sink:head mask=causal dtype=bf16 pass=forward+backward\n"
             "shape=1x2x1x1x64 dtype=bf16 pass=forward+backward\n"
             "shape=1x1x239x1x64 dtype=bf16 pass=forward+backward",
    .scaled = "its shorter lengths, batch 1 instead of 9; a sample of its grid",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
