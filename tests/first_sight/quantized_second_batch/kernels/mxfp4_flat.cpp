// MXFP4 scores, 32 channels to a power of two; P in the format of the inputs.
//
// Wrong: blocks of 32 are cut from a head as it lies in memory, x.view(-1, 32). Where 32 does not divide dim they reach
// from one token into the next, and a token's codes hang on its neighbours.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Blocks {
  int64_t dim, per_row;
  explicit Blocks(int64_t d) : dim(d), per_row((d + 31) / 32) {}
  int64_t operator()(int64_t r, int64_t c) const { return FAULT ? (r * dim + c) / 32 : r * per_row + c / 32; }
};

struct Operands : softmax::PlainValues {
  Mat q, k;  // codes times their powers of two: exact
  float sigma = 0;
  int64_t made = -1;

  static Mat numbers(const Mat& x) {
    const Blocks block(x.cols);
    coding::Coded coded = coding::encode<coding::Mxfp4>(x, x.rows * block.per_row, block);
    for (int64_t r = 0; r < x.rows; ++r)
      for (int64_t c = 0; c < x.cols; ++c) coded.codes.row(r)[c] *= coded.scales[static_cast<size_t>(block(r, c))];
    return coded.codes;
  }

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    sigma = call.sigma;
    q = numbers(call.queries(b, h));
    if (made == b * call.KV + kv) return;
    made = b * call.KV + kv;
    k = numbers(call.keys(b, kv));
    v = call.values(b, kv);
  }
  float score(int64_t i, int64_t j) const { return coding::dot(q.row(i), k.row(j), q.cols) * sigma; }
};

void forward(const Call& call) { softmax::tiles<Operands, softmax::WeightInput>(call); }

}  // namespace

EXPORT_KERNEL("mxfp4 scores",
              "score.query_codes.rule=mxfp4 score.query_codes.sharing=channels score.query_codes.count=32 "
              "score.key_codes.rule=mxfp4 score.key_codes.sharing=channels score.key_codes.count=32 "
              "weight.tile_keys=64",
              LIMITS_PLAIN, nullptr, 0, forward)
