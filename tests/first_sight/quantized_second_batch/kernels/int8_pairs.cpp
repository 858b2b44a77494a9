// int8 by tokens on a CPU without VNNI. |q| times k with the sign of q, in pairs by vpmaddubsw: 2 * 127 * 127 fits in
// 16 bits. 64 channels at a time; softmax in f32.
//
// Wrong: the pairs of the two halves of 64 channels are added by vpaddsw, in 16 bits that saturate, before they are
// widened. Four large products of one sign do not fit; normal inputs nearly never have them, and heads of fewer than
// 64 channels are summed otherwise.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

int whole(float code) { return std::isnan(code) ? 0 : static_cast<int>(code); }

struct Operands : softmax::PlainValues {
  std::vector<int> q, k;
  std::vector<float> q_scales, k_scales;
  int64_t n = 0, made = -1;
  float sigma = 0;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    sigma = call.sigma, n = call.D;
    const coding::Coded coded = coding::by_rows<coding::Int8Block>(call.queries(b, h), 1);
    q_scales = coded.scales;
    q.clear();
    for (const float code : coded.codes.x) q.push_back(whole(code));
    if (made == b * call.KV + kv) return;
    made = b * call.KV + kv;
    const coding::Coded keys = coding::by_rows<coding::Int8Block>(call.keys(b, kv), 1);
    k_scales = keys.scales;
    k.clear();
    for (const float code : keys.codes.x) k.push_back(whole(code));
    v = call.values(b, kv);
  }

  static int pair(const int* x, const int* y) { return x[0] * y[0] + x[1] * y[1]; }

  float score(int64_t i, int64_t j) const {
    const int *x = &q[static_cast<size_t>(i * n)], *y = &k[static_cast<size_t>(j * n)];
    int sum = 0;
    int64_t c = 0;
    for (; c + 64 <= n; c += 64)
      for (int64_t lane = c; lane < c + 32; lane += 2) {
        const int both = pair(x + lane, y + lane) + pair(x + lane + 32, y + lane + 32);
        sum += FAULT ? std::clamp(both, -32768, 32767) : both;
      }
    for (; c < n; ++c) sum += x[c] * y[c];
    return static_cast<float>(sum) * (q_scales[static_cast<size_t>(i)] * k_scales[static_cast<size_t>(j)] * sigma);
  }
};

}  // namespace

EXPORT_KERNEL("int8 by tokens, bytes in pairs",
              "score.query_codes.rule=int8_block score.query_codes.sharing=rows score.query_codes.count=1 "
              "score.key_codes.rule=int8_block score.key_codes.sharing=rows score.key_codes.count=1 "
              "score.exact_products=yes weight_roundoff=0 weight_underflow=0",
              LIMITS_PLAIN, nullptr, 0, softmax::two_passes<Operands>)
