// SPDX-License-Identifier: Apache-2.0
// Mutant: int8 by threads, K less its mean in the format of the inputs; P in f16, and so it is summed. It shows in
// log_sum_exp, little in f16, eight times as much in bf16, and the more the larger the mean.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
struct Operands : SmoothedKeys {
  coding::Coded q, k;
  LastKvHead last;
  float scale = 0;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    if (last.changes(call, b, h)) {
      Matrix keys = call.key_rows(b, kv);
      mean = coding::rounded_means(call, keys);
      const std::vector<double> unrounded = coding::column_means(keys);
      coding::centre(call, keys, mean, true);
      if (fault)
        for (std::size_t c = 0; c < mean.size(); ++c) mean[c] = static_cast<float>(unrounded[c]);
      k = coding::by_key_threads<coding::Int8Thread>(keys, 64);
      v = call.value_rows(b, kv);
    }
    const Matrix queries = call.query_rows(b, h);
    q = coding::by_query_threads<coding::Int8Thread>(queries, 32);
    give_back(queries, scale);
  }
  float score(index i, index j) const { return coding::thread_dot(q, i, 32, k, j, 64, scale); }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Operands<fault>, softmax::WeightF16Summed>,
      {.numerics =
           "score.query_codes.rule=int8_thread score.query_codes.sharing=query_thread score.query_codes.count=32 "
           "score.key_codes.rule=int8_thread score.key_codes.sharing=key_thread score.key_codes.count=64 "
           "score.key_codes.centring=rounded score.exact_products=yes "
           "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 "
           "weight.denominator_sums_cast=yes weight.tile_keys=64"});
}

SharedKernel right() { return made<false>("right_int8_threads_centred"); }

const Registration<Twin> twin{{
    .name = "right_int8_threads_centred",
    .summary = "int8 by threads, K less its mean in the format of the inputs; P in f16, and so it is summed",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "unrounded_mean_given_back",
    .summary = "K loses its mean as rounded to the format of the inputs, log_sum_exp gets back the mean in f32",
    .property = "codes_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x4x8x4 dtype=bf16 fill=channel_offset",
    .kernel = [] { return made<true>("unrounded_mean_given_back"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
