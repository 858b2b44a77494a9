// SPDX-License-Identifier: Apache-2.0
// A right kernel: int8 of tokens, K less its mean in f32, the mean a tree of f32 sums; four splits of the keys,
// each with a maximum of its own, merged one after another in f32; P in f16.
#include "mutants/hosts/coded_operands/kernel.hpp"
#include "mutants/hosts/coded_operands/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_operands {
namespace {

/// The sum of rows from to to - 1 of a column, by halves.
float tree(const Matrix& x, index c, index from, index to) {
  if (to - from == 1) return x.row(from)[c];
  const index middle = from + (to - from) / 2;
  return tree(x, c, from, middle) + tree(x, c, middle, to);
}

struct Operands : SmoothedKeys {
  coding::Coded q, k;
  LastKvHead last;
  float scale = 0;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    if (last.changes(call, b, h)) {
      Matrix keys = call.key_rows(b, kv);
      mean.clear();
      for (index c = 0; c < call.dim; ++c)
        mean.push_back(call.as_input(tree(keys, c, 0, keys.rows) / static_cast<float>(keys.rows)));
      coding::centre(call, keys, mean, false);
      k = coding::by_rows<coding::Int8Cuda>(keys, 1);
      v = call.value_rows(b, kv);
    }
    const Matrix queries = call.query_rows(b, h);
    q = coding::by_rows<coding::Int8Cuda>(queries, 1);
    scale = call.scale;
    give_back(queries, scale);
  }
  float score(index i, index j) const { return coding::scaled_dot(q, i, i, k, j, j, scale); }
};

void forward(const Call& call) {
  constexpr index parts = 4;
  softmax::for_rows<Operands>(call, [&](const Operands& x, index b, index h, index i, Span span) {
    softmax::Running<softmax::WeightF16> all(call.value_dim);
    const index share = (call.keys_of(b) + parts - 1) / parts;
    for (index p = 0; p < parts; ++p) {
      const index from = std::max(span.from, p * share), to = std::min(span.to, (p + 1) * share);
      if (from >= to) continue;
      softmax::Running<softmax::WeightF16> part(call.value_dim);
      for (index t = from; t < to; t += 64) part.tile(call, x, i, t, std::min(t + 64, to));
      const float m = std::max(all.m, part.m);
      const float old = std::exp2(all.m - m), young = std::exp2(part.m - m);
      all.m = m;
      all.l = all.l * old + part.l * young;
      for (std::size_t c = 0; c < all.o.size(); ++c) all.o[c] = all.o[c] * old + part.o[c] * young;
    }
    all.put(call, x, b, h, i);
  });
}

const Registration<Twin> registered{{
    .name = "right_int8_split",
    .summary = "int8 of tokens, K less its mean in f32, four splits of the keys, merged one after another; P in f16",
    .batch = "seventh",
    .kernel =
        [] {
          return kernel(
              "right_int8_split", forward,
              {.numerics = "score.query_codes.rule=int8_cuda score.query_codes.sharing=rows score.query_codes.count=1 "
                           "score.key_codes.rule=int8_cuda score.key_codes.sharing=rows score.key_codes.count=1 "
                           "score.key_codes.centring=in_f32 score.key_codes.mean_error=1e-6 score.exact_products=yes "
                           "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 "
                           "merge.form=rescaled_sums merge.parts=4 merge.depth=3"});
        },
}};

}  // namespace
}  // namespace attestone::inline mutants::coded_operands
