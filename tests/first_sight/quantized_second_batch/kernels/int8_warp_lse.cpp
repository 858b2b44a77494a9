// int8 by warps of 32 queries and 64 keys, K less its mean; P in f16.
//
// Wrong: log_sum_exp is given back the mean of kv head h % kv_heads in place of h / group: the means were repeated as
// tiles, not head by head (AITER's smooth_k with return_lse and GQA).
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  std::vector<std::vector<float>> means;  // of the sequence's kv heads
  std::vector<float> share;
  float sigma = 0;

  void open(const Call& call, int64_t b, int64_t h) {
    sigma = call.sigma;
    if (h == 0) {
      means.clear();
      for (int64_t kv = 0; kv < call.KV; ++kv) means.push_back(coding::rounded_means(call, call.keys(b, kv)));
    }
    const int64_t kv = h / call.G;
    if (h % call.G == 0) {
      Mat keys = call.keys(b, kv);
      coding::centre(call, keys, means[static_cast<size_t>(kv)], false);
      k = coding::by_rows<coding::Int8Cuda>(keys, 64);
      v = call.values(b, kv);
    }
    const Mat queries = call.queries(b, h);
    q = coding::by_rows<coding::Int8Cuda>(queries, 32);
    const std::vector<float>& mean = means[static_cast<size_t>(FAULT ? h % call.KV : kv)];
    share.clear();
    for (int64_t i = 0; i < queries.rows; ++i)
      share.push_back(coding::dot(queries.row(i), mean.data(), call.D) * sigma);
  }
  float score(int64_t i, int64_t j) const {
    return coding::dot(q.codes.row(i), k.codes.row(j), q.codes.cols) *
           (q.scales[static_cast<size_t>(i / 32)] * k.scales[static_cast<size_t>(j / 64)] * sigma);
  }
  float lse_share(int64_t i) const { return share[static_cast<size_t>(i)]; }
};

void forward(const Call& call) { softmax::tiles<Operands, softmax::WeightF16>(call); }

}  // namespace

EXPORT_KERNEL("int8 by warps",
              "score.query_codes.rule=int8_cuda score.query_codes.sharing=rows score.query_codes.count=32 "
              "score.key_codes.rule=int8_cuda score.key_codes.sharing=rows score.key_codes.count=64 "
              "score.key_codes.centring=in_f32 score.exact_products=yes "
              "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=64",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
