// NVFP4 scores; the scale factors lie as the tensor core wants them, in tiles of 128 rows by 4 scales.
//
// Wrong: the tiles beside each other are counted by dim / 64 cut off, as for heads of 64 and 128 channels, in place of
// rounded up. With 80, 96 or 112 channels and more than 128 rows tiles overlap, and later ones win.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Swizzled {
  Mat codes;
  std::vector<float> scales;
  int64_t tiles_beside;

  int64_t place(int64_t r, int64_t g) const {
    return (r / 128 * tiles_beside + g / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + g % 4;
  }

  void make(const Mat& x) {
    const int64_t per_row = (x.cols + 15) / 16;
    tiles_beside = FAULT ? std::max<int64_t>(1, x.cols / 64) : (per_row + 3) / 4;
    // Room for all of it, however it is counted.
    scales.assign(static_cast<size_t>(((x.rows + 127) / 128 + 1) * ((per_row + 3) / 4) * 512), 0.0f);
    const coding::Coded plain = coding::by_channels<coding::Nvfp4>(x, 16);
    codes = plain.codes;
    for (int64_t r = 0; r < x.rows; ++r)
      for (int64_t g = 0; g < per_row; ++g)
        scales[static_cast<size_t>(place(r, g))] = plain.scales[static_cast<size_t>(r * per_row + g)];
  }
};

struct Operands : softmax::PlainValues {
  Swizzled q, k;
  float sigma = 0;
  int64_t made = -1;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    sigma = call.sigma;
    q.make(call.queries(b, h));
    if (made == b * call.KV + kv) return;
    made = b * call.KV + kv;
    k.make(call.keys(b, kv));
    v = call.values(b, kv);
  }
  float score(int64_t i, int64_t j) const {
    float sum = 0;
    for (int64_t g = 0; g * 16 < q.codes.cols; ++g) {
      const float part =
          coding::dot(q.codes.row(i) + g * 16, k.codes.row(j) + g * 16, std::min<int64_t>(16, q.codes.cols - g * 16));
      sum += part * (q.scales[static_cast<size_t>(q.place(i, g))] * k.scales[static_cast<size_t>(k.place(j, g))]);
    }
    return sum * sigma;
  }
};

void forward(const Call& call) { softmax::tiles<Operands, softmax::WeightF16>(call); }

}  // namespace

EXPORT_KERNEL("nvfp4, swizzled scales",
              "score.query_codes.rule=nvfp4 score.query_codes.sharing=channels score.query_codes.count=16 "
              "score.key_codes.rule=nvfp4 score.key_codes.sharing=channels score.key_codes.count=16 "
              "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=64",
              LIMITS_PLAIN, nullptr, 0, forward)
