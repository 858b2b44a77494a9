// Right. Scores as SageAttention3 makes them, NVFP4 codes of Q and of K less its mean, sixteen channels to an e4m3
// scale; softmax and P V in f32, nothing is cast.
#include "softmax.h"

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  std::vector<float> mean, share;
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
    share.clear();
    for (int64_t i = 0; i < queries.rows; ++i)
      share.push_back(coding::dot(queries.row(i), mean.data(), call.D) * call.sigma);
    sigma = call.sigma;
  }
  float sigma = 0;
  float score(int64_t i, int64_t j) const { return coding::blocked_dot(q, i, k, j, 16) * sigma; }
  float lse_share(int64_t i) const { return share[static_cast<size_t>(i)]; }
};

EXPORT_KERNEL("nvfp4 scores, f32 softmax",
              "score.query_codes.rule=nvfp4 score.query_codes.sharing=channels score.query_codes.count=16 "
              "score.key_codes.rule=nvfp4 score.key_codes.sharing=channels score.key_codes.count=16 "
              "score.key_codes.centring=rounded weight_roundoff=0 weight_underflow=0",
              LIMITS_PLAIN, SHARES_CODES, 0, softmax::two_passes<Operands>)
