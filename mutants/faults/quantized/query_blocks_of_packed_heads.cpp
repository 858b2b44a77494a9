// SPDX-License-Identifier: Apache-2.0
// Mutant: int8 by blocks of 64 queries and 64 keys, P in f16; the query heads of a kv head are packed into one
// tile. It shows where query heads share a kv head.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/softmax.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
void forward(const Call& call) {
  const index G = call.group, packed = call.queries * G;
  softmax::TwoPasses<softmax::WeightF16> passes(call);
  for (index b = 0; b < call.batch; ++b)
    for (index kv = 0; kv < call.kv_heads; ++kv) {
      Matrix tile(packed, call.dim);
      for (index g = 0; g < G; ++g) {
        const Matrix head = call.query_rows(b, kv * G + g);
        for (index i = 0; i < call.queries; ++i) std::copy_n(head.row(i), call.dim, tile.row(i * G + g));
      }
      const auto block = [G](index r, index) { return fault ? r / 64 : r / G / 64 * G + r % G; };
      const coding::Coded q = coding::encode<coding::Int8Block>(tile, (call.queries + 63) / 64 * G, block);
      const coding::Coded k = coding::by_rows<coding::Int8Block>(call.key_rows(b, kv), 64);
      const Matrix v = call.value_rows(b, kv);

      for (index r = 0; r < packed; ++r) {
        const index h = kv * G + r % G, i = r / G;
        const float factor = q.scales[static_cast<std::size_t>(block(r, 0))] * call.scale;
        passes.answer(b, h, i, v, [&](index j) {
          return coding::dot(q.codes.row(r), k.codes.row(j), call.dim) *
                 (factor * k.scales[static_cast<std::size_t>(j / 64)]);
        });
      }
    }
}

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, forward<fault>,
      {.numerics = "score.query_codes.rule=int8_block score.query_codes.sharing=rows score.query_codes.count=64 "
                   "score.key_codes.rule=int8_block score.key_codes.sharing=rows score.key_codes.count=64 "
                   "score.exact_products=yes weight_roundoff=0x1p-11 weight_underflow=0x1p-25 "
                   "weight_smallest_normal=0x1p-14"});
}

SharedKernel right() { return made<false>("right_int8_packed_heads"); }

const Registration<Twin> twin{{
    .name = "right_int8_packed_heads",
    .summary = "int8 by blocks of 64 queries and 64 keys, P in f16; the query heads of a kv head are packed into one "
               "tile",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "query_blocks_of_packed_heads",
    .summary = "the query heads of a kv head are packed into one tile, and blocks of 64 are those of packed rows, so "
               "that heads share scales, and each with fewer queries",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2/1x2x4x4 dtype=f16",
    .kernel = [] { return made<true>("query_blocks_of_packed_heads"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
