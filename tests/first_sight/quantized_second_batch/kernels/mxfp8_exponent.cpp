// MXFP8 scores, 32 channels to a power of two; softmax and P V in f32.
//
// Wrong: the largest number of a block is found by packed maxima of bf16. For bf16 inputs that is what it is; an f16 of
// 1.998 becomes 2, and its block the next power of two: one block in some three hundred.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Rule {
  static float scale(float a) { return coding::Mxfp8::scale(FAULT ? narrow::to_bf16(a) : a); }
  static float code(float x, float a, float s) { return coding::Mxfp8::code(x, a, s); }
};

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  float sigma = 0;
  int64_t made = -1;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    sigma = call.sigma;
    q = coding::by_channels<Rule>(call.queries(b, h), 32);
    if (made == b * call.KV + kv) return;
    made = b * call.KV + kv;
    k = coding::by_channels<Rule>(call.keys(b, kv), 32);
    v = call.values(b, kv);
  }
  float score(int64_t i, int64_t j) const { return coding::blocked_dot(q, i, k, j, 32) * sigma; }
};

}  // namespace

EXPORT_KERNEL("mxfp8 scores, f32 softmax",
              "score.query_codes.rule=mxfp8 score.query_codes.sharing=channels score.query_codes.count=32 "
              "score.key_codes.rule=mxfp8 score.key_codes.sharing=channels score.key_codes.count=32 "
              "weight_roundoff=0 weight_underflow=0",
              LIMITS_PLAIN, nullptr, 0, softmax::two_passes<Operands>)
