// int8 by blocks of 64 queries and 64 keys; P in f16. The query heads of a kv head are packed into one tile: row
// i * group + g of the tile is query i of head g.
//
// Wrong: blocks of 64 are those of packed rows, so that heads of a group share scales, and each with fewer queries.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

void forward(const Call& call) {
  const int64_t G = call.G, packed = call.M * G;
  std::vector<float> s(static_cast<size_t>(call.N)), o(static_cast<size_t>(call.E));
  for (int64_t b = 0; b < call.B; ++b)
    for (int64_t kv = 0; kv < call.KV; ++kv) {
      Mat tile(packed, call.D);
      for (int64_t g = 0; g < G; ++g) {
        const Mat head = call.queries(b, kv * G + g);
        for (int64_t i = 0; i < call.M; ++i) std::copy_n(head.row(i), call.D, tile.row(i * G + g));
      }
      const auto block = [G](int64_t r, int64_t) { return FAULT ? r / 64 : r / G / 64 * G + r % G; };
      const coding::Coded q = coding::encode<coding::Int8Block>(tile, (call.M + 63) / 64 * G, block);
      const coding::Coded k = coding::by_rows<coding::Int8Block>(call.keys(b, kv), 64);
      const Mat v = call.values(b, kv);

      for (int64_t r = 0; r < packed; ++r) {
        const int64_t h = kv * G + r % G, i = r / G;
        const Span span = call.span(b, i);
        if (span.from == span.to) {
          call.put_empty(b, h, i);
          continue;
        }
        const float factor = q.scales[static_cast<size_t>(block(r, 0))] * call.sigma;
        float m = -kInf, l = 0;
        for (int64_t j = span.from; j < span.to; ++j) {
          s[static_cast<size_t>(j)] =
              coding::dot(q.codes.row(r), k.codes.row(j), call.D) * (factor * k.scales[static_cast<size_t>(j / 64)]);
          m = std::max(m, s[static_cast<size_t>(j)]);
        }
        std::fill(o.begin(), o.end(), 0.0f);
        for (int64_t j = span.from; j < span.to; ++j) {
          const float p = std::exp(s[static_cast<size_t>(j)] - m), cast = narrow::to_f16(p);
          l += p;
          for (int64_t c = 0; c < call.E; ++c) o[static_cast<size_t>(c)] += cast * v.row(j)[c];
        }
        for (int64_t c = 0; c < call.E; ++c) call.put_out(b, h, i, c, o[static_cast<size_t>(c)] / l);
        call.put_lse(b, h, i, m + std::log(l));
      }
    }
}

}  // namespace

EXPORT_KERNEL("int8 by blocks, heads packed",
              "score.query_codes.rule=int8_block score.query_codes.sharing=rows score.query_codes.count=64 "
              "score.key_codes.rule=int8_block score.key_codes.sharing=rows score.key_codes.count=64 "
              "score.exact_products=yes weight_roundoff=0x1p-11 weight_underflow=0x1p-25 "
              "weight_smallest_normal=0x1p-14",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
