// int8 by threads, K less its mean in the format of the inputs; P in f16, and so it is summed.
//
// Wrong: K loses its mean as rounded to the format of the inputs, log_sum_exp gets back the mean in f32. What rounding
// it left is missing: little in f16, eight times as much in bf16, and the more the larger the mean.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  std::vector<float> given_back, share;
  float sigma = 0;
  int64_t made = -1;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    sigma = call.sigma;
    if (made != b * call.KV + kv) {
      made = b * call.KV + kv;
      Mat keys = call.keys(b, kv);
      given_back = coding::rounded_means(call, keys);
      const std::vector<double> unrounded = coding::column_means(keys);
      coding::centre(call, keys, given_back, true);
      if (FAULT)
        for (size_t c = 0; c < given_back.size(); ++c) given_back[c] = static_cast<float>(unrounded[c]);
      k = coding::by_key_threads<coding::Int8Thread>(keys, 64);
      v = call.values(b, kv);
    }
    const Mat queries = call.queries(b, h);
    q = coding::by_query_threads<coding::Int8Thread>(queries, 32);
    share.clear();
    for (int64_t i = 0; i < queries.rows; ++i)
      share.push_back(coding::dot(queries.row(i), given_back.data(), call.D) * sigma);
  }
  float score(int64_t i, int64_t j) const {
    return coding::dot(q.codes.row(i), k.codes.row(j), q.codes.cols) *
           (q.scales[static_cast<size_t>(coding::query_thread(i, 32))] *
            k.scales[static_cast<size_t>(coding::key_thread(j, 64))] * sigma);
  }
  float lse_share(int64_t i) const { return share[static_cast<size_t>(i)]; }
};

void forward(const Call& call) { softmax::tiles<Operands, softmax::WeightF16Summed>(call); }

}  // namespace

EXPORT_KERNEL("int8 by threads, f16 P summed",
              "score.query_codes.rule=int8_thread score.query_codes.sharing=query_thread score.query_codes.count=32 "
              "score.key_codes.rule=int8_thread score.key_codes.sharing=key_thread score.key_codes.count=64 "
              "score.key_codes.centring=rounded score.exact_products=yes "
              "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 "
              "weight.denominator_sums_cast=yes weight.tile_keys=64",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
