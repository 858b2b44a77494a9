// e4m3 with a scale for each head, as FlashAttention-3's interface has it; P in e4m3 up to 2^8.
//
// Wrong: the scales of Q have a place for each kv head, [batch, kv_heads]. All query heads of a group write theirs
// there, the last one stays, and all of them are read with it.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Operands {
  std::vector<coding::Coded> q;  // of all heads
  std::vector<float> q_descale;
  coding::Coded k, v;
  int64_t head = 0, place = 0;
  float sigma = 0;

  void open(const Call& call, int64_t b, int64_t h) {
    sigma = call.sigma, head = h, place = FAULT ? h / call.G : h;
    if (h == 0) {
      q.clear();
      q_descale.assign(static_cast<size_t>(call.H), 0.0f);
      for (int64_t g = 0; g < call.H; ++g) {
        q.push_back(coding::by_rows<coding::E4m3>(call.queries(b, g), call.M));
        q_descale[static_cast<size_t>(FAULT ? g / call.G : g)] = q.back().scales[0];
      }
    }
    k = coding::by_rows<coding::E4m3>(call.keys(b, h / call.G), call.N);
    v = coding::by_rows<coding::E4m3>(call.values(b, h / call.G), call.N);
  }
  float score(int64_t i, int64_t j) const {
    return coding::dot(q[static_cast<size_t>(head)].codes.row(i), k.codes.row(j), k.codes.cols) *
           (q_descale[static_cast<size_t>(place)] * k.scales[0] * sigma);
  }
  const float* value(int64_t j) const { return v.codes.row(j); }
  float value_factor(int64_t) const { return v.scales[0]; }
  float lse_share(int64_t) const { return 0; }
};

void forward(const Call& call) { softmax::tiles<Operands, softmax::WeightE4m3, 128>(call); }

}  // namespace

EXPORT_KERNEL("e4m3 by heads",
              "score.query_codes.rule=e4m3 score.query_codes.sharing=head "
              "score.key_codes.rule=e4m3 score.key_codes.sharing=head value.codes.rule=e4m3 value.codes.sharing=head "
              "weight_roundoff=0x1p-4 weight_underflow=0x1p-18 weight_smallest_normal=0x1p-14 "
              "weight.reference_below=5.5452 weight.tile_keys=128",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
