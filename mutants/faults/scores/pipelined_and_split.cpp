// SPDX-License-Identifier: Apache-2.0
// Scores that leave the range of their exponential, lose digits, or take the bias or sink of another row.
#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/pipelined.hpp"
#include "mutants/hosts/pipelines/right.hpp"
#include "mutants/hosts/pipelines/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

/// Shows in bf16 (and f16) with alibi: with a power of two of heads only where a distance is above 256 (2048) and
/// no multiple.
struct AlibiTermInInputFormat : PipelinedPolicy {
  static float alibi(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    const Format format = p.query.format;
    const float slope = rounded_to(format, p.slopes.load(h * p.slopes.stride[0]));
    const Index distance = i + s.shift - j;
    return -rounded_to(format, slope * rounded_to(format, static_cast<float>(distance < 0 ? -distance : distance)));
  }
};

/// Shows with score=bias:full, head, batch or pair, 256 keys or more, and more than one query; a bias by key is
/// right.
struct BiasOfLongRowsFromFirstQueryOfChunk : PipelinedPolicy {
  static float bias(const Problem& p, const Sequence& s, Index h, Index i, Index j) {
    return Rules::bias(p, s, h, p.a.keys >= 256 ? i - i % kRows : i, j);
  }
};

/// Shows with a negative scale and scores of a row more than 88 apart; without overflow the answer is right.
struct MaximumTakenBeforeTheScale : PipelinedPolicy {
  static bool plain(const Problem& p) { return p.a.scale < 0 && !p.bias && !p.slopes && p.a.softcap == 0; }
  static bool above(const Problem& p, float x, float maximum) {
    return plain(p) ? maximum == -kInf || x < maximum : x > maximum;
  }
  static float raised(const Problem& p, float maximum, float tile_maximum) {
    if (plain(p) && maximum != -kInf) return std::min(maximum, tile_maximum);
    return std::max(maximum, tile_maximum);
  }
};

/// Shows where scores of a row lie more than 87 apart.
struct PowerOfTwoWrapsBelowItsRange : PipelinedPolicy {
  static float power_of_two(float x) {
    if (std::isnan(x) || x == kInf) return x;
    const float whole = std::nearbyint(std::max(x, -2.0e9f)), f = x - whole;
    const float y =
        1.0f +
        f * (0.693147181f +
             f * (0.240226507f +
                  f * (0.0555041087f +
                       f * (0.00961812911f + f * (0.00133335581f + f * (0.000154035304f + f * 0.0000152527338f))))));
    const auto exponent = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole));
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(y) + (exponent << 23));
  }
};

/// Shows in bf16 and f16 for dim > 128, most with scores of some size.
struct ScoresOfWideHeadsJoinInInputFormat : PipelinedPolicy {
  static float scores(const Problem& p, const float* q, const float* k, Index dim) {
    if (dim <= 128) return dot(q, k, dim);
    float sum = 0.0f;
    for (Index c = 0; c < dim; c += 64)
      sum = rounded_to(p.query.format, sum + dot(q + c, k + c, std::min<Index>(64, dim - c)));
    return sum;
  }
};

/// Shows with a sink, heads / kv_heads no divisor of 16, and more than 16 packed rows: queries * heads / kv_heads.
struct SinkOfPackedRowByLaneOfBlock : SplitPolicy {
  static float sink_of_row(const Problem& p, Index kv, Index r) {
    return Rules::sink(p, kv * p.group + r % kBlock % p.group);
  }
};

/// Shows with softcap c where a score exceeds 88 c.
struct SoftcapTanhByTwoExponentials : PipelinedPolicy {
  static float tanh(float x) {
    const float up = std::exp(x), down = std::exp(-x);
    return (up - down) / (up + down);
  }
};

/// The pipelined host with a fault.
template <class Fault>
SharedKernel pipelined(const char* name) {
  return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>(name);
}

const Registrations<Mutant> registered{
    {.name = "alibi_term_in_input_format",
     .summary = "slopes, distances and their product are held in the inputs' format",
     .source = "bigscience-workshop/Megatron-DeepSpeed PR #101, HabanaAI/vllm-fork PR #503",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x8x16x512x16 score=alibi dtype=bf16",
     .batch = "third",
     .kernel = [] { return pipelined<AlibiTermInInputFormat>("alibi_term_in_input_format"); },
     .twin = right_pipelined_fused},
    {.name = "bias_of_long_rows_from_first_query_of_chunk",
     .summary = "from 256 keys on the bias is sliced once for each chunk of queries, with one row: all 32 queries get "
                "the bias of the first",
     .source = "google-research/tabfm PR #40",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x256x16 score=bias:head",
     .batch = "third",
     .kernel =
         [] { return pipelined<BiasOfLongRowsFromFirstQueryOfChunk>("bias_of_long_rows_from_first_query_of_chunk"); },
     .twin = right_pipelined_fused},
    {.name = "maximum_taken_before_the_scale",
     .summary = "the running maximum is that of q.k, and multiplied by the scale later: with a negative scale it is "
                "the least score, and weights overflow",
     .source = "flashinfer-ai/flashinfer PR #4859",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x16x64x16 scale=-50",
     .batch = "third",
     .kernel = [] { return pipelined<MaximumTakenBeforeTheScale>("maximum_taken_before_the_scale"); },
     .twin = right_pipelined_fused},
    {.name = "power_of_two_wraps_below_its_range",
     .summary = "2^x is a polynomial whose result gets floor(x) added to its exponent bits, without a guard below "
                "-126: smaller arguments become huge or negative weights",
     .source = "flashinfer-ai/flashinfer PR #4502, tenstorrent/tt-metal PR #55802",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x16x64x16 scale=50",
     .batch = "third",
     .kernel = [] { return pipelined<PowerOfTwoWrapsBelowItsRange>("power_of_two_wraps_below_its_range"); },
     .twin = right_pipelined_fused},
    {.name = "scores_of_wide_heads_join_in_input_format",
     .summary = "heads wider than 128 are multiplied in chunks of 64 channels, and the score is kept in the input "
                "format between the chunks",
     .source = "ggml-org/llama.cpp PR #20589, philipturner/metal-flash-attention #8",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x64x192 scale=0.3 dtype=bf16",
     .batch = "third",
     .kernel =
         [] { return pipelined<ScoresOfWideHeadsJoinInInputFormat>("scores_of_wide_heads_join_in_input_format"); },
     .twin = right_pipelined_fused},
    {.name = "sink_of_packed_row_by_lane_of_block",
     .summary = "the sink of a packed row is chosen by its lane within the block of 16 rows, not by its number",
     .source = "sgl-project/sgl-kernel-xpu PR #254",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x3/1x12x32x16 score=sink:head",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Split<SinkOfPackedRowByLaneOfBlock>, FusedBackward<FusedBackwardPolicy>>(
               "sink_of_packed_row_by_lane_of_block");
         },
     .twin = right_split_fused},
    {.name = "softcap_tanh_by_two_exponentials",
     .summary = "tanh(x) = (e^x - e^-x) / (e^x + e^-x), which is infinity / infinity from x = 89 on",
     .source = "vllm-project/vllm #56578",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x16x64x16 score=softcap:2 scale=100",
     .batch = "third",
     .kernel = [] { return pipelined<SoftcapTanhByTwoExponentials>("softcap_tanh_by_two_exponentials"); },
     .twin = right_pipelined_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
