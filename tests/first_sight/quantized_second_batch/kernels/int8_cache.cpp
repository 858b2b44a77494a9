// A cache of K and V in int8 with a scale for each token, of sequences of different lengths; Q stays as it is, softmax
// in f32.
//
// Wrong: codes are made with the scale in f32, and the scale is kept in f16, as in a block of llama.cpp's q8_0. All of
// a token is off by up to 2^-11 of itself.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Cache {
  coding::Coded tokens;
  void fill(const Mat& x) {
    tokens = coding::by_rows<coding::Int8Block>(x, 1);
    if (FAULT)
      for (float& s : tokens.scales) s = narrow::to_f16(s);
  }
};

struct Operands {
  Mat q, v;
  Cache k;
  float sigma = 0;
  int64_t made = -1;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    sigma = call.sigma;
    q = call.queries(b, h);
    if (made == b * call.KV + kv) return;
    made = b * call.KV + kv;
    k.fill(call.keys(b, kv));
    Cache values;
    values.fill(call.values(b, kv));
    v = values.tokens.codes;
    for (int64_t j = 0; j < v.rows; ++j)
      for (int64_t c = 0; c < v.cols; ++c) v.row(j)[c] *= values.tokens.scales[static_cast<size_t>(j)];
  }
  float score(int64_t i, int64_t j) const {
    return coding::dot(q.row(i), k.tokens.codes.row(j), q.cols) * (k.tokens.scales[static_cast<size_t>(j)] * sigma);
  }
  const float* value(int64_t j) const { return v.row(j); }
  float value_factor(int64_t) const { return 1; }
  float lse_share(int64_t) const { return 0; }
};

}  // namespace

EXPORT_KERNEL("int8 cache by tokens",
              "score.key_codes.rule=int8_block score.key_codes.sharing=rows score.key_codes.count=1 "
              "value.codes.rule=int8_block value.codes.sharing=rows value.codes.count=1 "
              "weight_roundoff=0 weight_underflow=0",
              LIMITS_FORMATS "scores=" LIMITS_SIZES, nullptr, kTakesLengths, softmax::two_passes<Operands>)
