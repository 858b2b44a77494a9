// SPDX-License-Identifier: Apache-2.0
// FlashAttention 2: twice the error of a low-precision peer, for gradients three times.
#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// With the largest elements over the whole tensor, r the golden answer rounded to the format: max |x - r| <= f max
/// |b - r|, f = 2 for O and 3 for gradients (test_flash_attn_output). NaN anywhere makes it false.
/// b: plain attention in f16 or bf16, K scaled before the product, everything rounded (attention_ref with reorder_ops).
bool accepts(const Exhibit& exhibit) {
  const double factor = exhibit.tensor == TensorName::out ? 2 : 3;
  return largest_distance(exhibit.got, exhibit.rounded) <= factor * largest_distance(exhibit.baseline, exhibit.rounded);
}

const Registration<Judge> registered{{
    .name = "flash_attention_2",
    .rule = "max |x - fl(g)| <= f max |b - fl(g)|, f = 2 for O, 3 for gradients",
    .source = "Dao-AILab/flash-attention, tests/test_flash_attn.py",
    .looks_at = {TensorName::out, TensorName::dquery, TensorName::dkey, TensorName::dvalue},
    .baseline = {.rounds = Recipe::Rounds::everything, .scales = Recipe::Scales::key},
    .usual = "shape=1x2x113x203x64 mask=full,causal dtype=f16,bf16 pass=forward+backward\n"
             "shape=1x6/3x128x217x32 mask=causal dtype=bf16 pass=forward+backward\n"
             "shape=1x2x108x256x59 mask=window:100:60 score=alibi dtype=f16 pass=forward+backward\n"
             "shape=1x2x113x211x40 dropout=0.17 dtype=bf16 pass=forward+backward\n"
             "shape=1x2x128x128x32 score=softcap:50 dtype=bf16 pass=forward+backward\n"
             "shape=1x1x256x128x64 mask=causal dtype=f16 pass=forward+backward",
    .scaled = "its shorter lengths, batch 1 instead of 4, 2 to 6 heads instead of 6 or 9; a sample of its grid",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
