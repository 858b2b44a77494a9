// SPDX-License-Identifier: Apache-2.0
// Codes whose scale is found once for a head, or kept in a cache: from too few numbers, from too many, or in too few
// bits.
#include "mutants/hosts/coded_operands/kernel.hpp"
#include "mutants/hosts/coded_operands/operands.hpp"
#include "mutants/hosts/coded_operands/softmax.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_operands {
namespace {

// Shows where query heads share a kv head.
namespace e4m3_heads {

template <bool fault>
struct Operands {
  std::vector<coding::Coded> q;  // of all heads
  std::vector<float> q_descale;
  coding::Coded k, v;
  index head = 0, place = 0;
  float scale = 0;

  void open(const Call& call, index b, index h) {
    scale = call.scale, head = h, place = fault ? h / call.group : h;
    if (h == 0) {
      q.clear();
      q_descale.assign(static_cast<std::size_t>(call.heads), 0.0f);
      for (index g = 0; g < call.heads; ++g) {
        q.push_back(coding::by_rows<coding::E4m3>(call.query_rows(b, g), call.queries));
        q_descale[static_cast<std::size_t>(fault ? g / call.group : g)] = q.back().scales[0];
      }
    }
    k = coding::by_rows<coding::E4m3>(call.key_rows(b, h / call.group), call.keys);
    v = coding::by_rows<coding::E4m3>(call.value_rows(b, h / call.group), call.keys);
  }
  float score(index i, index j) const {
    return coding::dot(q[static_cast<std::size_t>(head)].codes.row(i), k.codes.row(j), k.codes.cols) *
           (q_descale[static_cast<std::size_t>(place)] * k.scales[0] * scale);
  }
  const float* value(index j) const { return v.codes.row(j); }
  float value_factor(index) const { return v.scales[0]; }
  float lse_share(index) const { return 0; }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Operands<fault>, softmax::WeightE4m3, 128>,
      {.numerics =
           "score.query_codes.rule=e4m3 score.query_codes.sharing=head "
           "score.key_codes.rule=e4m3 score.key_codes.sharing=head value.codes.rule=e4m3 value.codes.sharing=head "
           "weight_roundoff=0x1p-4 weight_underflow=0x1p-18 weight_smallest_normal=0x1p-14 "
           "weight.reference_below=5.5452 weight.tile_keys=128"});
}

SharedKernel right() { return made<false>("right_e4m3_heads"); }

}  // namespace e4m3_heads

// Shows from the second sequence on.
namespace e4m3_scratch {

coding::Coded encoded(const Matrix& x, float largest) {
  coding::Coded out{x, {coding::E4m3::scale(largest)}};
  for (float& e : out.codes.x) e = coding::E4m3::code(e, largest, out.scales[0]);
  return out;
}

void raise(float* place, const Matrix& x) {
  for (const float e : x.x) *place = coding::wider(*place, e);
}

void head(const Call& call, index b, index h, const coding::Coded& q, const coding::Coded& k, const Matrix& v) {
  softmax::TwoPasses<softmax::WeightInput> passes(call);
  const float factor = q.scales[0] * k.scales[0] * call.scale;
  for (index i = 0; i < call.queries; ++i)
    passes.answer(b, h, i, v, [&](index j) { return coding::dot(q.codes.row(i), k.codes.row(j), call.dim) * factor; });
}

template <bool fault>
void forward(const Call& call) {
  auto* q_largest = static_cast<float*>(call.a.workspace);
  float* k_largest = q_largest + call.heads;
  for (index b = 0; b < call.batch; ++b) {
    if (b == 0 || !fault) std::fill(q_largest, k_largest + call.kv_heads, 0.0f);
    for (index h = 0; h < call.heads; ++h) raise(q_largest + h, call.query_rows(b, h));
    for (index kv = 0; kv < call.kv_heads; ++kv) {
      const Matrix keys = call.key_rows(b, kv);
      raise(k_largest + kv, keys);
      const coding::Coded k = encoded(keys, k_largest[kv]);
      const Matrix v = call.value_rows(b, kv);
      for (index h = kv * call.group; h < (kv + 1) * call.group; ++h)
        head(call, b, h, encoded(call.query_rows(b, h), q_largest[h]), k, v);
    }
  }
}

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(name, forward<fault>,
                {.numerics = "score.query_codes.rule=e4m3 score.query_codes.sharing=head "
                             "score.key_codes.rule=e4m3 score.key_codes.sharing=head",
                 .workspace = [](const attestone_args& a) {
                   return (a.heads + a.kv_heads) * static_cast<std::int64_t>(sizeof(float));
                 }});
}

SharedKernel right() { return made<false>("right_e4m3_scratch"); }

}  // namespace e4m3_scratch

// Shows with more than 512 keys, of which a later one is the largest.
namespace e4m3_cache {

template <bool fault>
struct Cache {
  Matrix rows;
  float scale = 0;

  void fill(const Matrix& x) {
    constexpr index chunk = 512;
    const auto counted = static_cast<std::size_t>((fault ? std::min(chunk, x.rows) : x.rows) * x.cols);
    float largest = 0;
    for (std::size_t e = 0; e < counted; ++e) largest = coding::wider(largest, x.x[e]);
    scale = coding::E4m3::scale(largest);
    rows = x;
    for (float& e : rows.x) e = coding::E4m3::code(e, largest, scale);
  }
};

template <bool fault>
struct Operands {
  Matrix q;
  Cache<fault> k, v;
  float scale = 0;
  LastKvHead last;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q = call.query_rows(b, h);
    if (!last.changes(call, b, h)) return;
    k.fill(call.key_rows(b, kv));
    v.fill(call.value_rows(b, kv));
  }
  float score(index i, index j) const { return coding::dot(q.row(i), k.rows.row(j), q.cols) * (k.scale * scale); }
  const float* value(index j) const { return v.rows.row(j); }
  float value_factor(index) const { return v.scale; }
  float lse_share(index) const { return 0; }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(name, softmax::two_passes<Operands<fault>>,
                {.numerics = "score.key_codes.rule=e4m3 score.key_codes.sharing=head "
                             "value.codes.rule=e4m3 value.codes.sharing=head weight_roundoff=0 weight_underflow=0"});
}

SharedKernel right() { return made<false>("right_e4m3_cache"); }

}  // namespace e4m3_cache

// Shows everywhere, by up to 2^-11 of a token.
namespace int8_cache {

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

}  // namespace int8_cache

const Registrations<Twin> twins{
    {.name = "right_e4m3_heads",
     .summary = "e4m3 with a scale for each head, P in e4m3 up to 2^8",
     .batch = "seventh",
     .kernel = e4m3_heads::right},
    {.name = "right_e4m3_scratch",
     .summary =
         "e4m3 codes of Q and K with a scale for each head; the largest numbers are found by maxima in the workspace",
     .batch = "seventh",
     .kernel = e4m3_scratch::right},
    {.name = "right_e4m3_cache",
     .summary = "a cache of K and V in e4m3 with a scale for each head; Q stays as it is, softmax in f32",
     .batch = "seventh",
     .kernel = e4m3_cache::right},
    {.name = "right_int8_cache",
     .summary = "a cache of K and V in int8 with a scale for each token, of sequences of different lengths; Q stays as "
                "it is, softmax in f32",
     .batch = "seventh",
     .kernel = int8_cache::right},
};

const Registrations<Mutant> registered{
    {.name = "query_scale_of_last_head_of_group",
     .summary = "scales of Q have a place for each kv head: all query heads of a group write theirs there, the last "
                "one stays, and all are read with it",
     .property = "codes_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x2/1x2x4x4 dtype=bf16",
     .batch = "seventh",
     .kernel = [] { return e4m3_heads::made<true>("query_scale_of_last_head_of_group"); },
     .twin = e4m3_heads::right},
    {.name = "maxima_cleared_once_a_call",
     .summary = "the largest numbers of heads in the workspace are cleared once a call, and every sequence of the "
                "batch adds to those of the sequences before it",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=3x1x4x8x8 dtype=f16",
     .batch = "seventh",
     .kernel = [] { return e4m3_scratch::made<true>("maxima_cleared_once_a_call"); },
     .twin = e4m3_scratch::right},
    {.name = "cache_scale_of_first_512_tokens",
     .summary = "scales of a cache are found when the first 512 tokens are written and kept for all that come later: "
                "larger ones become the largest code",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x600x32:4 dtype=f16 fill=outliers",
     .batch = "seventh",
     .kernel = [] { return e4m3_cache::made<true>("cache_scale_of_first_512_tokens"); },
     .twin = e4m3_cache::right},
    {.name = "cache_scales_kept_in_half",
     .summary = "codes of a cache are made with the scale in f32, and the scale is kept in f16",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x8x8 scale=1 dtype=f16",
     .batch = "seventh",
     .kernel = [] { return int8_cache::made<true>("cache_scales_kept_in_half"); },
     .twin = int8_cache::right},
};

}  // namespace
}  // namespace attestone::inline mutants::coded_operands
