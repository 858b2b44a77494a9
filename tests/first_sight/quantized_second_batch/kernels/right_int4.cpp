// Right. int4 by threads, as SageAttention2's code has it but never calls it: 8 groups of 32 queries, 4 of 64 keys, K
// less its mean. P in f16, and so it is summed.
#include "softmax.h"

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  std::vector<float> share;
  float sigma = 0;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    Mat keys = call.keys(b, kv);
    const std::vector<float> mean = coding::rounded_means(call, keys);
    coding::centre(call, keys, mean, true);
    k = coding::by_key_threads<coding::Int4Thread>(keys, 64);
    v = call.values(b, kv);
    const Mat queries = call.queries(b, h);
    q = coding::by_query_threads<coding::Int4Thread>(queries, 32);
    sigma = call.sigma;
    share.clear();
    for (int64_t i = 0; i < queries.rows; ++i)
      share.push_back(coding::dot(queries.row(i), mean.data(), call.D) * sigma);
  }
  float score(int64_t i, int64_t j) const {
    return coding::dot(q.codes.row(i), k.codes.row(j), q.codes.cols) *
           (q.scales[static_cast<size_t>(coding::query_thread(i, 32))] *
            k.scales[static_cast<size_t>(coding::key_thread(j, 64))] * sigma);
  }
  float lse_share(int64_t i) const { return share[static_cast<size_t>(i)]; }
};

void forward(const Call& call) { softmax::tiles<Operands, softmax::WeightF16Summed>(call); }

EXPORT_KERNEL("int4 by threads, f16 P",
              "score.query_codes.rule=int4_thread score.query_codes.sharing=query_thread score.query_codes.count=32 "
              "score.key_codes.rule=int4_thread score.key_codes.sharing=key_thread score.key_codes.count=64 "
              "score.key_codes.centring=rounded score.exact_products=yes "
              "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 "
              "weight.denominator_sums_cast=yes weight.tile_keys=64",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
