// NVFP4 scores of K less its mean, and FlashAttention-4's exponential: a polynomial of degree 3, whose exponent is put
// together with integers.
//
// Wrong: without the max(x, -127) before it. A key that lies more than 127 binary orders below the maximum gets an
// exponent that wraps into the sign: a weight of about -2^125.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Polynomial : softmax::WeightF16 {
  static float exp2(float x) {
    if (std::isnan(x)) return x;
    if (!FAULT) x = std::max(x, -127.0f);
    x = std::max(x, -4194304.0f);  // what 2^23 + 2^22 + x can hold
    const float whole = std::floor(x), f = x - whole;
    float p = 0.077119089663028717041015625f;
    p = std::fma(p, f, 0.227564394474029541015625f);
    p = std::fma(p, f, 0.695146143436431884765625f);
    p = std::fma(p, f, 1.0f);
    const uint32_t magic = narrow::bits_of(12582912.0f + whole);
    return narrow::float_of((magic << 23) + narrow::bits_of(p));
  }
};

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  std::vector<float> mean, share;
  float sigma = 0;
  int64_t made = -1;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    if (made != b * call.KV + kv) {
      made = b * call.KV + kv;
      Mat keys = call.keys(b, kv);
      mean = coding::rounded_means(call, keys);
      coding::centre(call, keys, mean, true);
      k = coding::by_channels<coding::Nvfp4>(keys, 16);
      v = call.values(b, kv);
    }
    const Mat queries = call.queries(b, h);
    q = coding::by_channels<coding::Nvfp4>(queries, 16);
    sigma = call.sigma;
    share.clear();
    for (int64_t i = 0; i < queries.rows; ++i)
      share.push_back(coding::dot(queries.row(i), mean.data(), call.D) * sigma);
  }
  float score(int64_t i, int64_t j) const { return coding::blocked_dot(q, i, k, j, 16) * sigma; }
  float lse_share(int64_t i) const { return share[static_cast<size_t>(i)]; }
};

void forward(const Call& call) { softmax::tiles<Operands, Polynomial, 128>(call); }

}  // namespace

EXPORT_KERNEL("nvfp4, polynomial exp2",
              "score.query_codes.rule=nvfp4 score.query_codes.sharing=channels score.query_codes.count=16 "
              "score.key_codes.rule=nvfp4 score.key_codes.sharing=channels score.key_codes.count=16 "
              "score.key_codes.centring=rounded exp_error=9e-5 "
              "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=128",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
