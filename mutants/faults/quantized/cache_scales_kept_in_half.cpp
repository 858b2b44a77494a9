// SPDX-License-Identifier: Apache-2.0
// Mutant: a cache of K and V in int8 with a scale for each token, of sequences of different lengths; Q stays as it
// is, softmax in f32. It shows everywhere, by up to 2^-11 of a token.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
struct Cache {
  coding::Coded tokens;
  void fill(const Matrix& x) {
    tokens = coding::by_rows<coding::Int8Block>(x, 1);
    if (fault)
      for (float& s : tokens.scales) s = f16_rounded(s);
  }
};

template <bool fault>
struct Operands {
  Matrix q, v;
  Cache<fault> k;
  float scale = 0;
  LastKvHead last;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q = call.query_rows(b, h);
    if (!last.changes(call, b, h)) return;
    k.fill(call.key_rows(b, kv));
    Cache<fault> values;
    values.fill(call.value_rows(b, kv));
    v = values.tokens.codes;
    for (index j = 0; j < v.rows; ++j)
      for (index c = 0; c < v.cols; ++c) v.row(j)[c] *= values.tokens.scales[static_cast<std::size_t>(j)];
  }
  float score(index i, index j) const {
    return coding::dot(q.row(i), k.tokens.codes.row(j), q.cols) *
           (k.tokens.scales[static_cast<std::size_t>(j)] * scale);
  }
  const float* value(index j) const { return v.row(j); }
  float value_factor(index) const { return 1; }
  float lse_share(index) const { return 0; }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(name, softmax::two_passes<Operands<fault>>,
                {.numerics = "score.key_codes.rule=int8_block score.key_codes.sharing=rows score.key_codes.count=1 "
                             "value.codes.rule=int8_block value.codes.sharing=rows value.codes.count=1 "
                             "weight_roundoff=0 weight_underflow=0",
                 .more_limits = "scores=",
                 .conventions = by_the_rules});
}

SharedKernel right() { return made<false>("right_int8_cache"); }

const Registration<Twin> twin{{
    .name = "right_int8_cache",
    .summary = "a cache of K and V in int8 with a scale for each token, of sequences of different lengths; Q stays as "
               "it is, softmax in f32",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "cache_scales_kept_in_half",
    .summary = "codes of a cache are made with the scale in f32, and the scale is kept in f16",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x8x8 scale=1 dtype=f16",
    .kernel = [] { return made<true>("cache_scales_kept_in_half"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
