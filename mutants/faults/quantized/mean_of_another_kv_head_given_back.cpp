// SPDX-License-Identifier: Apache-2.0
// Mutant: int8 by warps of 32 queries and 64 keys, K less its mean; P in f16. It shows in log_sum_exp, where query
// heads share one of several kv heads.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
struct Operands : SmoothedKeys {
  coding::Coded q, k;
  std::vector<std::vector<float>> means;  // of the sequence's kv heads
  float scale = 0;

  void open(const Call& call, index b, index h) {
    scale = call.scale;
    if (h == 0) {
      means.clear();
      for (index kv = 0; kv < call.kv_heads; ++kv) means.push_back(coding::rounded_means(call, call.key_rows(b, kv)));
    }
    const index kv = h / call.group;
    if (h % call.group == 0) {
      Matrix keys = call.key_rows(b, kv);
      coding::centre(call, keys, means[static_cast<std::size_t>(kv)], false);
      k = coding::by_rows<coding::Int8Cuda>(keys, 64);
      v = call.value_rows(b, kv);
    }
    const Matrix queries = call.query_rows(b, h);
    q = coding::by_rows<coding::Int8Cuda>(queries, 32);
    mean = means[static_cast<std::size_t>(fault ? h % call.kv_heads : kv)];
    give_back(queries, scale);
  }
  float score(index i, index j) const { return coding::scaled_dot(q, i, i / 32, k, j, j / 64, scale); }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Operands<fault>, softmax::WeightF16>,
      {.numerics =
           "score.query_codes.rule=int8_cuda score.query_codes.sharing=rows score.query_codes.count=32 "
           "score.key_codes.rule=int8_cuda score.key_codes.sharing=rows score.key_codes.count=64 "
           "score.key_codes.centring=in_f32 score.exact_products=yes "
           "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=64"});
}

SharedKernel right() { return made<false>("right_int8_warps"); }

const Registration<Twin> twin{{
    .name = "right_int8_warps",
    .summary = "int8 by warps of 32 queries and 64 keys, K less its mean; P in f16",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "mean_of_another_kv_head_given_back",
    .summary = "log_sum_exp is given back the mean of kv head h mod kv_heads in place of h / group: the means were "
               "repeated as tiles, not head by head",
    .source = "ROCm/aiter PR #3334, ROCm/aiter #3349",
    .property = "codes_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x4/2x2x4x4 dtype=f16 fill=channel_offset",
    .kernel = [] { return made<true>("mean_of_another_kv_head_given_back"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
