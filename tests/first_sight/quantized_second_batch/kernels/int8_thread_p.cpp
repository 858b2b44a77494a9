// int8 by threads; P in f16 before it meets V, whatever the inputs are; the denominator sums P as it was.
//
// Wrong: the cast goes to the type of the inputs, the template's parameter. For f16 nothing changes; for bf16 a weight
// keeps 8 digits of the 11 that are declared.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Weight : softmax::WeightF32 {
  static float cast(const Call& call, float p) { return FAULT ? call.as_input(p) : narrow::to_f16(p); }
};

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  float sigma = 0;
  int64_t made = -1;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    sigma = call.sigma;
    q = coding::by_query_threads<coding::Int8Thread>(call.queries(b, h), 16);
    if (made == b * call.KV + kv) return;
    made = b * call.KV + kv;
    k = coding::by_key_threads<coding::Int8Thread>(call.keys(b, kv), 128);
    v = call.values(b, kv);
  }
  float score(int64_t i, int64_t j) const {
    return coding::dot(q.codes.row(i), k.codes.row(j), q.codes.cols) *
           (q.scales[static_cast<size_t>(coding::query_thread(i, 16))] *
            k.scales[static_cast<size_t>(coding::key_thread(j, 128))] * sigma);
  }
};

void forward(const Call& call) { softmax::tiles<Operands, Weight, 128>(call); }

}  // namespace

EXPORT_KERNEL("int8 by threads of warps of 16 and 128 rows",
              "score.query_codes.rule=int8_thread score.query_codes.sharing=query_thread score.query_codes.count=16 "
              "score.key_codes.rule=int8_thread score.key_codes.sharing=key_thread score.key_codes.count=128 "
              "score.exact_products=yes "
              "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=128",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
