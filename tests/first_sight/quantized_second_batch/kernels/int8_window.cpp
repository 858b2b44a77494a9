// int8 by warps of 32 queries and 64 keys; a block of 64 queries visits the tiles of 64 keys that its windows reach. P
// in f16.
//
// Wrong: the first tile begins where the window of the block's first query begins, not at a multiple of 64, and a tile
// has one scale of K, that of its first key. Without a window to the left tiles begin at 0.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Tile : softmax::PlainValues {
  const coding::Coded *q, *k;
  float sigma;
  int64_t begin = 0;
  float score(int64_t i, int64_t j) const {
    return coding::dot(q->codes.row(i), k->codes.row(j), q->codes.cols) *
           (q->scales[static_cast<size_t>(i / 32)] * k->scales[static_cast<size_t>(begin / 64)] * sigma);
  }
};

void block(const Call& call, Tile& x, int64_t b, int64_t h, int64_t first) {
  const int64_t last = std::min(first + 64, call.M);
  std::vector<softmax::Running<softmax::WeightF16>> rows(static_cast<size_t>(last - first),
                                                         softmax::Running<softmax::WeightF16>(call.E));
  int64_t from = call.N, to = 0;
  for (int64_t i = first; i < last; ++i) {
    const Span span = call.span(b, i);
    if (span.from == span.to) continue;
    from = std::min(from, span.from), to = std::max(to, span.to);
  }
  if (!FAULT) from = from / 64 * 64;
  for (x.begin = from; x.begin < to; x.begin += 64)
    for (int64_t i = first; i < last; ++i) {
      const Span span = call.span(b, i);
      const int64_t low = std::max(span.from, x.begin), high = std::min(span.to, x.begin + 64);
      if (low < high) rows[static_cast<size_t>(i - first)].tile(call, x, i, low, high);
    }
  for (int64_t i = first; i < last; ++i) {
    const Span span = call.span(b, i);
    if (span.from == span.to)
      call.put_empty(b, h, i);
    else
      rows[static_cast<size_t>(i - first)].put(call, x, b, h, i);
  }
}

void forward(const Call& call) {
  for (int64_t b = 0; b < call.B; ++b)
    for (int64_t kv = 0; kv < call.KV; ++kv) {
      const coding::Coded k = coding::by_rows<coding::Int8Cuda>(call.keys(b, kv), 64);
      Tile x;
      x.v = call.values(b, kv);
      x.k = &k, x.sigma = call.sigma;
      for (int64_t h = kv * call.G; h < (kv + 1) * call.G; ++h) {
        const coding::Coded q = coding::by_rows<coding::Int8Cuda>(call.queries(b, h), 32);
        x.q = &q;
        for (int64_t first = 0; first < call.M; first += 64) block(call, x, b, h, first);
      }
    }
}

}  // namespace

EXPORT_KERNEL("int8 by warps, windows",
              "score.query_codes.rule=int8_cuda score.query_codes.sharing=rows score.query_codes.count=32 "
              "score.key_codes.rule=int8_cuda score.key_codes.sharing=rows score.key_codes.count=64 "
              "score.exact_products=yes "
              "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=64",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
