// SPDX-License-Identifier: Apache-2.0
// Mutant: int8 by threads of warps of 16 queries and 128 keys, P in f16; the denominator sums P as it was. It shows
// in bf16: a weight keeps 8 digits of the 11 that are declared.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
struct Weight : softmax::WeightF32 {
  static float cast(const Call& call, float p) { return fault ? call.as_input(p) : f16_rounded(p); }
};

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  float scale = 0;
  LastKvHead last;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q = coding::by_query_threads<coding::Int8Thread>(call.query_rows(b, h), 16);
    if (!last.changes(call, b, h)) return;
    k = coding::by_key_threads<coding::Int8Thread>(call.key_rows(b, kv), 128);
    v = call.value_rows(b, kv);
  }
  float score(index i, index j) const { return coding::thread_dot(q, i, 16, k, j, 128, scale); }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Operands, Weight<fault>, 128>,
      {.numerics =
           "score.query_codes.rule=int8_thread score.query_codes.sharing=query_thread score.query_codes.count=16 "
           "score.key_codes.rule=int8_thread score.key_codes.sharing=key_thread score.key_codes.count=128 "
           "score.exact_products=yes "
           "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=128"});
}

SharedKernel right() { return made<false>("right_int8_threads"); }

const Registration<Twin> twin{{
    .name = "right_int8_threads",
    .summary = "int8 by threads of warps of 16 queries and 128 keys, P in f16; the denominator sums P as it was",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "weights_in_format_of_inputs",
    .summary = "P is cast to the format of the inputs, where f16 is declared whatever the inputs are",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4x100x3x4 dtype=bf16",
    .kernel = [] { return made<true>("weights_in_format_of_inputs"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
