// SPDX-License-Identifier: Apache-2.0
// Mutant: e4m3 codes of Q and K with a scale for each head; the largest numbers are found by maxima in the
// workspace. It shows from the second sequence on.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/softmax.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

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

const Registration<Twin> twin{{
    .name = "right_e4m3_scratch",
    .summary = "e4m3 codes of Q and K with a scale for each head; the largest numbers are found by maxima in the "
               "workspace",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "maxima_cleared_once_a_call",
    .summary = "the largest numbers of heads in the workspace are cleared once a call, and every sequence of the "
               "batch adds to those of the sequences before it",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=3x1x4x8x8 dtype=f16",
    .kernel = [] { return made<true>("maxima_cleared_once_a_call"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
