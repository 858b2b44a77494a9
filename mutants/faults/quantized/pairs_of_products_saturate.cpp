// SPDX-License-Identifier: Apache-2.0
// Mutant: int8 by tokens as on a CPU without VNNI, bytes in pairs, 64 channels at a time; softmax in f32. It shows
// from 64 channels on, where four large products have one sign.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

int whole(float code) { return std::isnan(code) ? 0 : static_cast<int>(code); }

template <bool fault>
struct Operands : softmax::PlainValues {
  std::vector<int> q, k;
  std::vector<float> q_scales, k_scales;
  index n = 0;
  LastKvHead last;
  float scale = 0;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale, n = call.dim;
    const coding::Coded coded = coding::by_rows<coding::Int8Block>(call.query_rows(b, h), 1);
    q_scales = coded.scales;
    q.clear();
    for (const float code : coded.codes.x) q.push_back(whole(code));
    if (!last.changes(call, b, h)) return;
    const coding::Coded keys = coding::by_rows<coding::Int8Block>(call.key_rows(b, kv), 1);
    k_scales = keys.scales;
    k.clear();
    for (const float code : keys.codes.x) k.push_back(whole(code));
    v = call.value_rows(b, kv);
  }

  static int pair(const int* x, const int* y) { return x[0] * y[0] + x[1] * y[1]; }

  float score(index i, index j) const {
    const int *x = &q[static_cast<std::size_t>(i * n)], *y = &k[static_cast<std::size_t>(j * n)];
    int sum = 0;
    index c = 0;
    for (; c + 64 <= n; c += 64)
      for (index lane = c; lane < c + 32; lane += 2) {
        const int both = pair(x + lane, y + lane) + pair(x + lane + 32, y + lane + 32);
        sum += fault ? std::clamp(both, -32768, 32767) : both;
      }
    for (; c < n; ++c) sum += x[c] * y[c];
    return static_cast<float>(sum) *
           (q_scales[static_cast<std::size_t>(i)] * k_scales[static_cast<std::size_t>(j)] * scale);
  }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::two_passes<Operands<fault>>,
      {.numerics = "score.query_codes.rule=int8_block score.query_codes.sharing=rows score.query_codes.count=1 "
                   "score.key_codes.rule=int8_block score.key_codes.sharing=rows score.key_codes.count=1 "
                   "score.exact_products=yes weight_roundoff=0 weight_underflow=0",
       .conventions = by_the_rules});
}

SharedKernel right() { return made<false>("right_int8_pairs"); }

const Registration<Twin> twin{{
    .name = "right_int8_pairs",
    .summary = "int8 by tokens as on a CPU without VNNI, bytes in pairs, 64 channels at a time; softmax in f32",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "pairs_of_products_saturate",
    .summary = "pairs of products from the two halves of 64 channels are added in 16 bits that saturate before they "
               "are widened",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x8x64:4 dtype=f16 fill=uniform",
    .kernel = [] { return made<true>("pairs_of_products_saturate"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
