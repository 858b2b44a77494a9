// SPDX-License-Identifier: Apache-2.0
// A right kernel: e4m3 with a scale for each block, as FlashAttention-3's paper has it: 128 rows of Q, 64 of K and
// V. Tiles from the last to the first; each has sums of its own, which take the scale of their block of V before
// they join the others. P in e4m3, 2^8 its largest number. Softcap and sinks; a sink is added at the end.
#include "mutants/hosts/coded_operands/kernel.hpp"
#include "mutants/hosts/coded_operands/softmax.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_operands {
namespace {

constexpr index block_keys = 64;

void row(const Call& call, const coding::Coded& q, const coding::Coded& k, const coding::Coded& v, index b, index h,
         index i) {
  const Span span = call.span(b, i);
  const bool has_sink = static_cast<bool>(call.whole.sink);
  const float sink = call.whole.sink_of(h);
  if (span.from == span.to) {
    call.put_empty(b, h, i);
    if (has_sink) call.put_lse(b, h, i, sink);
    return;
  }

  const float cap = call.whole.softcap();
  float m = -infinity, l = 0;
  std::vector<float> o(static_cast<std::size_t>(call.value_dim), 0.0f), part(o.size());
  for (index t = (span.to - 1) / block_keys; t >= span.from / block_keys; --t) {
    const index from = std::max(t * block_keys, span.from), to = std::min((t + 1) * block_keys, span.to);
    const float factor =
        q.scales[static_cast<std::size_t>(i / 128)] * k.scales[static_cast<std::size_t>(t)] * call.scale;
    float s[block_keys], before = m;
    for (index j = from; j < to; ++j) {
      float y = coding::dot(q.codes.row(i), k.codes.row(j), call.dim) * factor;
      if (cap != 0) y = cap * std::tanh(y / cap);
      s[j - from] = y * log2_e;
      m = std::max(m, s[j - from]);
    }
    float sum = 0;
    std::fill(part.begin(), part.end(), 0.0f);
    for (index j = from; j < to; ++j) {
      const float p = std::exp2(s[j - from] - (m - 8));
      sum += p;
      const float cast = to_e4m3(p);
      for (index c = 0; c < call.value_dim; ++c) part[static_cast<std::size_t>(c)] += cast * v.codes.row(j)[c];
    }
    const float shrink = before == m ? 1.0f : std::exp2(before - m);
    l = l * shrink + sum;
    for (std::size_t c = 0; c < o.size(); ++c) o[c] = o[c] * shrink + part[c] * v.scales[static_cast<std::size_t>(t)];
  }
  call.put_max(b, h, i, m * ln2);
  float reference = m - 8;
  if (has_sink) {
    const float top = std::max(reference, sink * log2_e), shrink = std::exp2(reference - top);
    l = l * shrink + std::exp2(sink * log2_e - top);
    for (float& y : o) y *= shrink;
    reference = top;
  }
  for (index c = 0; c < call.value_dim; ++c) call.put_out(b, h, i, c, o[static_cast<std::size_t>(c)] / l);
  call.put_lse(b, h, i, (reference + std::log2(l)) * ln2);
}

void forward(const Call& call) {
  for (index b = 0; b < call.batch; ++b)
    for (index kv = 0; kv < call.kv_heads; ++kv) {
      const auto k = coding::by_rows<coding::E4m3>(call.key_rows(b, kv), block_keys);
      const auto v = coding::by_rows<coding::E4m3>(call.value_rows(b, kv), block_keys);
      for (index h = kv * call.group; h < (kv + 1) * call.group; ++h) {
        const auto q = coding::by_rows<coding::E4m3>(call.query_rows(b, h), 128);
        for (index i = 0; i < call.queries; ++i) row(call, q, k, v, b, h, i);
      }
    }
}

const Registration<Twin> registered{{
    .name = "right_e4m3_blocks",
    .summary = "e4m3 with a scale for each block, 128 rows of Q and 64 of K and V; tiles from the last to the first, "
               "P in e4m3; softcap and sinks",
    .batch = "seventh",
    .kernel =
        [] {
          return kernel(
              "right_e4m3_blocks", forward,
              {.numerics = "score.query_codes.rule=e4m3 score.query_codes.sharing=rows score.query_codes.count=128 "
                           "score.key_codes.rule=e4m3 score.key_codes.sharing=rows score.key_codes.count=64 "
                           "value.codes.rule=e4m3 value.codes.sharing=rows value.codes.count=64 "
                           "weight_roundoff=0x1p-4 weight_underflow=0x1p-18 weight_smallest_normal=0x1p-14 "
                           "weight.reference_below=5.5452 weight.tile_keys=64 weight.visits=descending",
               .more_limits = "scores=softcap+sink lengths=no max_logits=yes"});
        },
}};

}  // namespace
}  // namespace attestone::inline mutants::coded_operands
