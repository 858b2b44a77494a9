// Right. e4m3 with a scale for each block, as FlashAttention-3's paper has it: 128 rows of Q, 64 of K and V. Tiles from
// the last to the first; each has sums of its own, which take the scale of their block of V before they join the
// others. P in e4m3, 2^8 its largest number. Softcap and sinks; a sink is added at the end.
#include "softmax.h"

namespace {

constexpr int64_t kBlock = 64;

void row(const Call& call, const coding::Coded& q, const coding::Coded& k, const coding::Coded& v, int64_t b, int64_t h,
         int64_t i) {
  using softmax::kLn2;
  using softmax::kLog2E;
  const Span span = call.span(b, i);
  const bool has_sink = call.a.sink.data != nullptr;
  float sink = -kInf;
  if (has_sink) {
    const uint16_t e = static_cast<const uint16_t*>(call.a.sink.data)[h * call.a.sink.strides[0]];
    sink = call.bf16 ? narrow::read_bf16(e) : narrow::read_f16(e);
  }
  if (span.from == span.to) {
    call.put_empty(b, h, i);
    if (has_sink) call.put_lse(b, h, i, sink);
    return;
  }

  const auto cap = static_cast<float>(call.a.softcap);
  float m = -kInf, l = 0;
  std::vector<float> o(static_cast<size_t>(call.E), 0.0f), part(o.size());
  for (int64_t t = (span.to - 1) / kBlock; t >= span.from / kBlock; --t) {
    const int64_t from = std::max(t * kBlock, span.from), to = std::min((t + 1) * kBlock, span.to);
    const float factor = q.scales[static_cast<size_t>(i / 128)] * k.scales[static_cast<size_t>(t)] * call.sigma;
    float s[kBlock], before = m;
    for (int64_t j = from; j < to; ++j) {
      float y = coding::dot(q.codes.row(i), k.codes.row(j), call.D) * factor;
      if (cap != 0) y = cap * std::tanh(y / cap);
      s[j - from] = y * kLog2E;
      m = std::max(m, s[j - from]);
    }
    float sum = 0;
    std::fill(part.begin(), part.end(), 0.0f);
    for (int64_t j = from; j < to; ++j) {
      const float p = std::exp2(s[j - from] - (m - 8));
      sum += p;
      const float cast = narrow::to_e4m3(p);
      for (int64_t c = 0; c < call.E; ++c) part[static_cast<size_t>(c)] += cast * v.codes.row(j)[c];
    }
    const float shrink = before == m ? 1.0f : std::exp2(before - m);
    l = l * shrink + sum;
    for (size_t c = 0; c < o.size(); ++c) o[c] = o[c] * shrink + part[c] * v.scales[static_cast<size_t>(t)];
  }
  call.put_max(b, h, i, m * kLn2);
  float reference = m - 8;
  if (has_sink) {
    const float top = std::max(reference, sink * kLog2E), shrink = std::exp2(reference - top);
    l = l * shrink + std::exp2(sink * kLog2E - top);
    for (float& y : o) y *= shrink;
    reference = top;
  }
  for (int64_t c = 0; c < call.E; ++c) call.put_out(b, h, i, c, o[static_cast<size_t>(c)] / l);
  call.put_lse(b, h, i, (reference + std::log2(l)) * kLn2);
}

void forward(const Call& call) {
  for (int64_t b = 0; b < call.B; ++b)
    for (int64_t kv = 0; kv < call.KV; ++kv) {
      const auto k = coding::by_rows<coding::E4m3>(call.keys(b, kv), kBlock);
      const auto v = coding::by_rows<coding::E4m3>(call.values(b, kv), kBlock);
      for (int64_t h = kv * call.G; h < (kv + 1) * call.G; ++h) {
        const auto q = coding::by_rows<coding::E4m3>(call.queries(b, h), 128);
        for (int64_t i = 0; i < call.M; ++i) row(call, q, k, v, b, h, i);
      }
    }
}

}  // namespace

EXPORT_KERNEL("e4m3 by blocks, e4m3 P",
              "score.query_codes.rule=e4m3 score.query_codes.sharing=rows score.query_codes.count=128 "
              "score.key_codes.rule=e4m3 score.key_codes.sharing=rows score.key_codes.count=64 "
              "value.codes.rule=e4m3 value.codes.sharing=rows value.codes.count=64 "
              "weight_roundoff=0x1p-4 weight_underflow=0x1p-18 weight_smallest_normal=0x1p-14 "
              "weight.reference_below=5.5452 weight.tile_keys=64 weight.visits=descending",
              LIMITS_FORMATS "scores=softcap+sink lengths=no max_logits=yes" LIMITS_SIZES, SHARES_CODES,
              kTakesSoftcap | kTakesSink, forward)
