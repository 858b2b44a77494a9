// SPDX-License-Identifier: Apache-2.0
// Mutant: int8 by threads, K less its mean in the format of the inputs; P in f16, and so it is summed. It shows in
// log_sum_exp, little in f16, eight times as much in bf16, and the more the larger the mean.
#include "conformance/mutants/machinery/mutant.hpp"
#include "conformance/mutants/seventh_batch/kernel.hpp"
#include "conformance/mutants/seventh_batch/softmax.hpp"
#include "reference/registry.hpp"

namespace attestone::seventh_batch {
namespace {

template <bool fault>
struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  std::vector<float> given_back, share;
  float scale = 0;
  index made = -1;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    if (made != b * call.kv_heads + kv) {
      made = b * call.kv_heads + kv;
      Matrix keys = call.key_rows(b, kv);
      given_back = coding::rounded_means(call, keys);
      const std::vector<double> unrounded = coding::column_means(keys);
      coding::centre(call, keys, given_back, true);
      if (fault)
        for (std::size_t c = 0; c < given_back.size(); ++c) given_back[c] = static_cast<float>(unrounded[c]);
      k = coding::by_key_threads<coding::Int8Thread>(keys, 64);
      v = call.value_rows(b, kv);
    }
    const Matrix queries = call.query_rows(b, h);
    q = coding::by_query_threads<coding::Int8Thread>(queries, 32);
    share.clear();
    for (index i = 0; i < queries.rows; ++i)
      share.push_back(coding::dot(queries.row(i), given_back.data(), call.dim) * scale);
  }
  float score(index i, index j) const {
    return coding::dot(q.codes.row(i), k.codes.row(j), q.codes.cols) *
           (q.scales[static_cast<std::size_t>(coding::query_thread(i, 32))] *
            k.scales[static_cast<std::size_t>(coding::key_thread(j, 64))] * scale);
  }
  float lse_share(index i) const { return share[static_cast<std::size_t>(i)]; }
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
}  // namespace attestone::seventh_batch
