// SPDX-License-Identifier: Apache-2.0
// FlashInfer's own tests: one tolerance for each format, relative and absolute.
#include <numbers>

#include "conformance/problems/standard_normal.hpp"
#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// True if its tests of this call take the wider tolerance in f16 as well: prefill with ALiBi or a softcap.
bool is_prefill_of_changed_scores(const Problem& problem) {
  return problem.shape.queries > 1 && (problem.score.softcap() || problem.score.has("alibi"));
}

/// torch.testing.assert_close: |x - b| <= t + t |b| for every element; NaN is never close, infinities if they are
/// equal. t = 1e-3 in f16, 1e-2 in all other formats and where the scores of a prefill are changed. For log_sum_exp t =
/// 1e-3; it is of base 2 there, so that the absolute part is 1e-3 ln 2 here. b: attention in f32, rounded once.
bool accepts(const Exhibit& exhibit) {
  constexpr double narrow = 1e-3, wide = 1e-2;
  if (exhibit.tensor == TensorName::log_sum_exp)
    return all_close(exhibit.got, exhibit.rounded, {.absolute = narrow * std::numbers::ln2, .relative = narrow});
  const bool is_narrow = exhibit.dtype().name == "f16" && !is_prefill_of_changed_scores(exhibit.problem);
  const double tolerance = is_narrow ? narrow : wide;
  return all_close(exhibit.got, exhibit.baseline, {.absolute = tolerance, .relative = tolerance});
}

/// Normal; sinks uniform in [0, 5).
double element(const Draw& draw, TensorName tensor) {
  constexpr double largest_sink = 5;
  return tensor == TensorName::sink ? largest_sink * draw.uniform() : standard_normal(draw);
}

const Registration<Judge> registered{{
    .name = "flashinfer",
    .rule = "|x - b| <= t + t |b| for every element of O, t = 1e-3 in f16, else 1e-2; of log_sum_exp t = 1e-3",
    .source = "flashinfer-ai/flashinfer at fb28d72 (August 2026), tests/attention/test_blackwell_fmha.py, "
              "test_batch_decode_kernels.py, test_batch_prefill_kernels.py, test_alibi.py, test_logits_cap.py, "
              "test_sliding_window.py, test_attention_sink.py",
    .looks_at = {TensorName::out, TensorName::log_sum_exp},
    .baseline = {.rounds = Recipe::Rounds::nothing},
    .usual = "shape=2x4/1x17x17x192:128 mask=full,causal dtype=bf16\n"
             "shape=1x4x17x544x64 mask=full,causal dtype=bf16\n"
             "shape=3x4/4x1x54x128 dtype=f16\n"
             "shape=3x8/1x1x97x128 dtype=f16\n"
             "shape=3x8/1x37x54x64 mask=full,causal dtype=f16 layout=ragged\n"
             "shape=1x4x1x81x128 score=alibi dtype=f16\n"
             "shape=1x4x17x81x128 mask=causal score=alibi dtype=f16\n"
             "shape=1x4x1x81x128,1x4x17x81x128 score=softcap:1,softcap:30,softcap:50 dtype=f16\n"
             "shape=1x4/1x1x99x64 mask=window:3:0,window:43:0 dtype=f16\n"
             "shape=1x8/2x16x16x128 mask=full,causal score=sink:head dtype=f16,bf16",
    .scaled = "its shorter lengths, batch 1 to 3 of 1 to 128, 4 or 8 of 32 heads; a sample of its tests, without "
              "rotary positions and 8-bit formats; rows lie one after the other, not in pages. Some of them compare "
              "with its own kernel for one request: here that is b as well",
    .element = element,
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
