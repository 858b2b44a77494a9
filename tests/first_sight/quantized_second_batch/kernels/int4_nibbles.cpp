// int4 by threads, K less its mean; eight codes of a row are packed into a word of 32 bits.
//
// Wrong: words are unpacked with their signs; what is left of a row where 8 does not divide dim goes through a scalar
// loop that takes each nibble for 0 to 15.
#include "softmax.h"

#ifndef FAULT
#define FAULT 1
#endif

namespace {

struct Packed {
  int64_t dim = 0, words = 0;
  std::vector<uint32_t> data;
  std::vector<float> scales;

  void make(const coding::Coded& x) {
    dim = x.codes.cols, words = (dim + 7) / 8;
    data.assign(static_cast<size_t>(x.codes.rows * words), 0);
    scales = x.scales;
    for (int64_t r = 0; r < x.codes.rows; ++r)
      for (int64_t c = 0; c < dim; ++c) {
        const float code = x.codes.row(r)[c];
        const auto nibble = static_cast<uint32_t>(std::isnan(code) ? 0 : static_cast<int>(code)) & 15;
        data[static_cast<size_t>(r * words + c / 8)] |= nibble << (c % 8 * 4);
      }
  }

  void unpack(int64_t r, int* out) const {
    const uint32_t* w = &data[static_cast<size_t>(r * words)];
    for (int64_t c = 0; c < dim / 8 * 8; ++c) out[c] = sign_of(w[c / 8] >> (c % 8 * 4) & 15);
    for (int64_t c = dim / 8 * 8; c < dim; ++c) {
      const uint32_t nibble = w[c / 8] >> (c % 8 * 4) & 15;
      out[c] = FAULT ? static_cast<int>(nibble) : sign_of(nibble);
    }
  }
  static int sign_of(uint32_t nibble) { return static_cast<int>(nibble ^ 8) - 8; }
};

void attend(const Call& call, int64_t b, int64_t kv) {
  Mat keys = call.keys(b, kv);
  const std::vector<float> mean = coding::rounded_means(call, keys);
  coding::centre(call, keys, mean, true);
  Packed k, q;
  k.make(coding::by_key_threads<coding::Int4Thread>(keys, 64));
  std::vector<int> k_codes(static_cast<size_t>(call.N * call.D)), q_codes(static_cast<size_t>(call.D));
  for (int64_t j = 0; j < call.N; ++j) k.unpack(j, &k_codes[static_cast<size_t>(j * call.D)]);
  const Mat v = call.values(b, kv);
  std::vector<float> s(static_cast<size_t>(call.N)), o(static_cast<size_t>(call.E));

  for (int64_t h = kv * call.G; h < (kv + 1) * call.G; ++h) {
    const Mat queries = call.queries(b, h);
    q.make(coding::by_query_threads<coding::Int4Thread>(queries, 32));
    for (int64_t i = 0; i < call.M; ++i) {
      const Span span = call.span(b, i);
      if (span.from == span.to) {
        call.put_empty(b, h, i);
        continue;
      }
      q.unpack(i, q_codes.data());
      float m = -kInf, l = 0;
      for (int64_t j = span.from; j < span.to; ++j) {
        int sum = 0;
        for (int64_t c = 0; c < call.D; ++c)
          sum += q_codes[static_cast<size_t>(c)] * k_codes[static_cast<size_t>(j * call.D + c)];
        s[static_cast<size_t>(j)] =
            static_cast<float>(sum) * (q.scales[static_cast<size_t>(coding::query_thread(i, 32))] *
                                       k.scales[static_cast<size_t>(coding::key_thread(j, 64))] * call.sigma);
        m = std::max(m, s[static_cast<size_t>(j)]);
      }
      std::fill(o.begin(), o.end(), 0.0f);
      for (int64_t j = span.from; j < span.to; ++j) {
        const float p = std::exp(s[static_cast<size_t>(j)] - m), cast = narrow::to_f16(p);
        l += p;
        for (int64_t c = 0; c < call.E; ++c) o[static_cast<size_t>(c)] += cast * v.row(j)[c];
      }
      for (int64_t c = 0; c < call.E; ++c) call.put_out(b, h, i, c, o[static_cast<size_t>(c)] / l);
      call.put_lse(b, h, i, m + std::log(l) + coding::dot(queries.row(i), mean.data(), call.D) * call.sigma);
    }
  }
}

void forward(const Call& call) {
  for (int64_t b = 0; b < call.B; ++b)
    for (int64_t kv = 0; kv < call.KV; ++kv) attend(call, b, kv);
}

}  // namespace

EXPORT_KERNEL("int4 by threads, packed",
              "score.query_codes.rule=int4_thread score.query_codes.sharing=query_thread score.query_codes.count=32 "
              "score.key_codes.rule=int4_thread score.key_codes.sharing=key_thread score.key_codes.count=64 "
              "score.key_codes.centring=rounded score.exact_products=yes "
              "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
