// SPDX-License-Identifier: Apache-2.0
// Mutant: MXFP8 scores, 32 channels to a power of two; softmax and P V in f32. It shows in f16: one block in some
// three hundred gets the next power of two, as where 1.998 becomes 2.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
struct Rule {
  static float scale(float a) { return coding::Mxfp8::scale(fault ? bf16_rounded(a) : a); }
  static float code(float x, float a, float s) { return coding::Mxfp8::code(x, a, s); }
};

template <bool fault>
struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  float scale = 0;
  LastKvHead last;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q = coding::by_channels<Rule<fault>>(call.query_rows(b, h), 32);
    if (!last.changes(call, b, h)) return;
    k = coding::by_channels<Rule<fault>>(call.key_rows(b, kv), 32);
    v = call.value_rows(b, kv);
  }
  float score(index i, index j) const { return coding::blocked_dot(q, i, k, j, 32) * scale; }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::two_passes<Operands<fault>>,
      {.numerics = "score.query_codes.rule=mxfp8 score.query_codes.sharing=channels score.query_codes.count=32 "
                   "score.key_codes.rule=mxfp8 score.key_codes.sharing=channels score.key_codes.count=32 "
                   "weight_roundoff=0 weight_underflow=0",
       .conventions = by_the_rules});
}

SharedKernel right() { return made<false>("right_mxfp8_scores"); }

const Registration<Twin> twin{{
    .name = "right_mxfp8_scores",
    .summary = "MXFP8 scores, 32 channels to a power of two; softmax and P V in f32",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "block_maximum_in_bf16",
    .summary = "the largest number of a block is found by packed maxima of bf16",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x32x64x128:4 dtype=f16",
    .kernel = [] { return made<true>("block_maximum_in_bf16"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
