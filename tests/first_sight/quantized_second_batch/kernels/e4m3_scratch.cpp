// e4m3 codes of Q and K with a scale for each head; the largest numbers are found by atomic maxima in the workspace.
//
// Wrong: the maxima are cleared once a call, and every sequence of the batch adds to those of the sequences before it.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

coding::Coded encoded(const Mat& x, float largest) {
  coding::Coded out{x, {coding::E4m3::scale(largest)}};
  for (float& e : out.codes.x) e = coding::E4m3::code(e, largest, out.scales[0]);
  return out;
}

void raise(float* place, const Mat& x) {
  for (const float e : x.x) *place = coding::wider(*place, e);
}

void head(const Call& call, int64_t b, int64_t h, const coding::Coded& q, const coding::Coded& k, const Mat& v) {
  std::vector<float> s(static_cast<size_t>(call.N)), o(static_cast<size_t>(call.E));
  const float factor = q.scales[0] * k.scales[0] * call.sigma;
  for (int64_t i = 0; i < call.M; ++i) {
    const Span span = call.span(b, i);
    if (span.from == span.to) {
      call.put_empty(b, h, i);
      continue;
    }
    float m = -kInf, l = 0;
    for (int64_t j = span.from; j < span.to; ++j) {
      s[static_cast<size_t>(j)] = coding::dot(q.codes.row(i), k.codes.row(j), call.D) * factor;
      m = std::max(m, s[static_cast<size_t>(j)]);
    }
    std::fill(o.begin(), o.end(), 0.0f);
    for (int64_t j = span.from; j < span.to; ++j) {
      const float p = std::exp(s[static_cast<size_t>(j)] - m), cast = call.as_input(p);
      l += p;
      for (int64_t c = 0; c < call.E; ++c) o[static_cast<size_t>(c)] += cast * v.row(j)[c];
    }
    for (int64_t c = 0; c < call.E; ++c) call.put_out(b, h, i, c, o[static_cast<size_t>(c)] / l);
    call.put_lse(b, h, i, m + std::log(l));
  }
}

void forward(const Call& call) {
  auto* q_largest = static_cast<float*>(call.a.workspace);
  float* k_largest = q_largest + call.H;
  for (int64_t b = 0; b < call.B; ++b) {
    if (b == 0 || !FAULT) std::fill(q_largest, k_largest + call.KV, 0.0f);
    for (int64_t h = 0; h < call.H; ++h) raise(q_largest + h, call.queries(b, h));
    for (int64_t kv = 0; kv < call.KV; ++kv) {
      const Mat keys = call.keys(b, kv);
      raise(k_largest + kv, keys);
      const coding::Coded k = encoded(keys, k_largest[kv]);
      const Mat v = call.values(b, kv);
      for (int64_t h = kv * call.G; h < (kv + 1) * call.G; ++h)
        head(call, b, h, encoded(call.queries(b, h), q_largest[h]), k, v);
    }
  }
}

}  // namespace

int64_t attestone_workspace(const attestone_args* a) {
  return (a->heads + a->kv_heads) * static_cast<int64_t>(sizeof(float));
}

EXPORT_KERNEL("e4m3 scores by heads, maxima in the workspace",
              "score.query_codes.rule=e4m3 score.query_codes.sharing=head "
              "score.key_codes.rule=e4m3 score.key_codes.sharing=head",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
