// SPDX-License-Identifier: Apache-2.0
// A right kernel: Scores as SageAttention3 makes them, NVFP4 codes of Q and of K less its mean, sixteen channels to
// an e4m3 scale; softmax and P V in f32, nothing is cast.
#include "conformance/mutants/machinery/mutant.hpp"
#include "conformance/mutants/seventh_batch/kernel.hpp"
#include "conformance/mutants/seventh_batch/softmax.hpp"
#include "reference/registry.hpp"

namespace attestone::seventh_batch {
namespace {

struct Operands : softmax::PlainValues {
  coding::Coded q, k;
  std::vector<float> mean, share;
  index made = -1;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    if (made != b * call.kv_heads + kv) {
      made = b * call.kv_heads + kv;
      Matrix keys = call.key_rows(b, kv);
      mean = coding::rounded_means(call, keys);
      coding::centre(call, keys, mean, true);
      k = coding::by_channels<coding::Nvfp4>(keys, 16);
      v = call.value_rows(b, kv);
    }
    const Matrix queries = call.query_rows(b, h);
    q = coding::by_channels<coding::Nvfp4>(queries, 16);
    share.clear();
    for (index i = 0; i < queries.rows; ++i)
      share.push_back(coding::dot(queries.row(i), mean.data(), call.dim) * call.scale);
    scale = call.scale;
  }
  float scale = 0;
  float score(index i, index j) const { return coding::blocked_dot(q, i, k, j, 16) * scale; }
  float lse_share(index i) const { return share[static_cast<std::size_t>(i)]; }
};

const Registration<Twin> registered{{
    .name = "right_nvfp4",
    .summary = "scores as SageAttention3 makes them, NVFP4 codes of Q and of K less its mean; softmax and P V in f32",
    .kernel =
        [] {
          return kernel(
              "right_nvfp4", softmax::two_passes<Operands>,
              {.numerics = "score.query_codes.rule=nvfp4 score.query_codes.sharing=channels score.query_codes.count=16 "
                           "score.key_codes.rule=nvfp4 score.key_codes.sharing=channels score.key_codes.count=16 "
                           "score.key_codes.centring=rounded weight_roundoff=0 weight_underflow=0"});
        },
}};

}  // namespace
}  // namespace attestone::seventh_batch
