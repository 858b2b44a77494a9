// SPDX-License-Identifier: Apache-2.0
// A right kernel: int4 by threads, as SageAttention2's code has it but never calls it: 8 groups of 32 queries, 4 of
// 64 keys, K less its mean. P in f16, and so it is summed.
#include "mutants/hosts/coded_operands/kernel.hpp"
#include "mutants/hosts/coded_operands/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_operands {
namespace {

struct Operands : SmoothedKeys {
  coding::Coded q, k;
  float scale = 0;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    Matrix keys = call.key_rows(b, kv);
    mean = coding::rounded_means(call, keys);
    coding::centre(call, keys, mean, true);
    k = coding::by_key_threads<coding::Int4Thread>(keys, 64);
    v = call.value_rows(b, kv);
    const Matrix queries = call.query_rows(b, h);
    q = coding::by_query_threads<coding::Int4Thread>(queries, 32);
    scale = call.scale;
    give_back(queries, scale);
  }
  float score(index i, index j) const { return coding::thread_dot(q, i, 32, k, j, 64, scale); }
};

void forward(const Call& call) { softmax::tiles<Operands, softmax::WeightF16Summed>(call); }

const Registration<Twin> registered{{
    .name = "right_int4",
    .summary = "int4 by threads, 8 groups of 32 queries and 4 of 64 keys, K less its mean; P in f16, and so it is "
               "summed",
    .batch = "seventh",
    .kernel =
        [] {
          return kernel(
              "right_int4", forward,
              {.numerics =
                   "score.query_codes.rule=int4_thread score.query_codes.sharing=query_thread "
                   "score.query_codes.count=32 "
                   "score.key_codes.rule=int4_thread score.key_codes.sharing=key_thread score.key_codes.count=64 "
                   "score.key_codes.centring=rounded score.exact_products=yes "
                   "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 "
                   "weight.denominator_sums_cast=yes weight.tile_keys=64"});
        },
}};

}  // namespace
}  // namespace attestone::inline mutants::coded_operands
