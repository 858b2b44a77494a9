// Right. int8 of tokens, K less its mean in f32, the mean a tree of f32 sums; four splits of the keys, each with a
// maximum of its own, merged one after another in f32; P in f16.
#include "softmax.h"

namespace {

/// The sum of rows from to to - 1 of a column, by halves.
float tree(const Mat& x, int64_t c, int64_t from, int64_t to) {
  if (to - from == 1) return x.row(from)[c];
  const int64_t middle = from + (to - from) / 2;
  return tree(x, c, from, middle) + tree(x, c, middle, to);
}

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  std::vector<float> mean, share;
  float sigma = 0;
  int64_t made = -1;

  void open(const Call& call, int64_t b, int64_t h) {
    const int64_t kv = h / call.G;
    if (made != b * call.KV + kv) {
      made = b * call.KV + kv;
      Mat keys = call.keys(b, kv);
      mean.clear();
      for (int64_t c = 0; c < call.D; ++c)
        mean.push_back(call.as_input(tree(keys, c, 0, keys.rows) / static_cast<float>(keys.rows)));
      coding::centre(call, keys, mean, false);
      k = coding::by_rows<coding::Int8Cuda>(keys, 1);
      v = call.values(b, kv);
    }
    const Mat queries = call.queries(b, h);
    q = coding::by_rows<coding::Int8Cuda>(queries, 1);
    sigma = call.sigma;
    share.clear();
    for (int64_t i = 0; i < queries.rows; ++i)
      share.push_back(coding::dot(queries.row(i), mean.data(), call.D) * sigma);
  }
  float score(int64_t i, int64_t j) const {
    return coding::dot(q.codes.row(i), k.codes.row(j), q.codes.cols) *
           (q.scales[static_cast<size_t>(i)] * k.scales[static_cast<size_t>(j)] * sigma);
  }
  float lse_share(int64_t i) const { return share[static_cast<size_t>(i)]; }
};

void forward(const Call& call) {
  constexpr int64_t parts = 4;
  softmax::for_rows<Operands>(call, [&](const Operands& x, int64_t b, int64_t h, int64_t i, Span span) {
    softmax::Running<softmax::WeightF16> all(call.E);
    const int64_t share = (call.keys_of(b) + parts - 1) / parts;
    for (int64_t p = 0; p < parts; ++p) {
      const int64_t from = std::max(span.from, p * share), to = std::min(span.to, (p + 1) * share);
      if (from >= to) continue;
      softmax::Running<softmax::WeightF16> part(call.E);
      for (int64_t t = from; t < to; t += 64) part.tile(call, x, i, t, std::min(t + 64, to));
      const float m = std::max(all.m, part.m);
      const float old = std::exp2(all.m - m), young = std::exp2(part.m - m);
      all.m = m;
      all.l = all.l * old + part.l * young;
      for (size_t c = 0; c < all.o.size(); ++c) all.o[c] = all.o[c] * old + part.o[c] * young;
    }
    all.put(call, x, b, h, i);
  });
}

}  // namespace

EXPORT_KERNEL("int8 by tokens, four splits",
              "score.query_codes.rule=int8_cuda score.query_codes.sharing=rows score.query_codes.count=1 "
              "score.key_codes.rule=int8_cuda score.key_codes.sharing=rows score.key_codes.count=1 "
              "score.key_codes.centring=in_f32 score.key_codes.mean_error=1e-6 score.exact_products=yes "
              "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 "
              "merge.form=rescaled_sums merge.parts=4 merge.depth=3",
              LIMITS_PLAIN, SHARES_CODES, 0, forward)
