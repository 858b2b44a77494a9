// Right. Q, K and V in MXFP8, 32 channels to a power of two; P in e4m3 between 0 and 2^8 by a running maximum over
// tiles of 64 keys. It answers the largest scores as well. Every group lies in one row: nothing hidden is read.
#include "softmax.h"

struct Operands {
  coding::Coded q, k;
  Mat v;
  float sigma = 0;
  int64_t made = -1;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    sigma = call.sigma;
    q = coding::by_channels<coding::Mxfp8>(call.queries(b, h), 32);
    if (made == b * call.KV + kv) return;
    made = b * call.KV + kv;
    k = coding::by_channels<coding::Mxfp8>(call.keys(b, kv), 32);
    const coding::Coded values = coding::by_channels<coding::Mxfp8>(call.values(b, kv), 32);
    const int64_t per_row = (call.E + 31) / 32;
    v = values.codes;
    for (int64_t j = 0; j < v.rows; ++j)  // a power of two: exact
      for (int64_t c = 0; c < call.E; ++c) v.row(j)[c] *= values.scales[static_cast<size_t>(j * per_row + c / 32)];
  }
  float score(int64_t i, int64_t j) const { return coding::blocked_dot(q, i, k, j, 32) * sigma; }
  const float* value(int64_t j) const { return v.row(j); }
  float value_factor(int64_t) const { return 1; }
  float lse_share(int64_t) const { return 0; }
};

void forward(const Call& call) { softmax::tiles<Operands, softmax::WeightE4m3>(call); }

EXPORT_KERNEL("mxfp8 throughout, e4m3 P",
              "score.query_codes.rule=mxfp8 score.query_codes.sharing=channels score.query_codes.count=32 "
              "score.key_codes.rule=mxfp8 score.key_codes.sharing=channels score.key_codes.count=32 "
              "value.codes.rule=mxfp8 value.codes.sharing=channels value.codes.count=32 "
              "weight_roundoff=0x1p-4 weight_underflow=0x1p-18 weight_smallest_normal=0x1p-14 "
              "weight.reference_below=5.5452 weight.tile_keys=64",
              LIMITS_PLAIN " max_logits=yes", nullptr, 0, forward)
