// SPDX-License-Identifier: Apache-2.0
// Mutant: int8 by warps of 32 queries and 64 keys; a block of 64 queries visits the tiles of keys that its windows
// reach; P in f16. It shows with windows to the left, where they begin behind the first key.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/softmax.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

struct Tile : softmax::PlainValues {
  const coding::Coded *q, *k;
  float scale;
  index begin = 0;
  float score(index i, index j) const { return coding::scaled_dot(*q, i, i / 32, *k, j, begin / 64, scale); }
};

template <bool fault>
void block(const Call& call, Tile& x, index b, index h, index first) {
  const index last = std::min(first + 64, call.queries);
  std::vector<softmax::Running<softmax::WeightF16>> rows(static_cast<std::size_t>(last - first),
                                                         softmax::Running<softmax::WeightF16>(call.value_dim));
  index from = call.keys, to = 0;
  for (index i = first; i < last; ++i) {
    const Span span = call.span(b, i);
    if (span.from == span.to) continue;
    from = std::min(from, span.from), to = std::max(to, span.to);
  }
  if (!fault) from = from / 64 * 64;
  for (x.begin = from; x.begin < to; x.begin += 64)
    for (index i = first; i < last; ++i) {
      const Span span = call.span(b, i);
      const index low = std::max(span.from, x.begin), high = std::min(span.to, x.begin + 64);
      if (low < high) rows[static_cast<std::size_t>(i - first)].tile(call, x, i, low, high);
    }
  for (index i = first; i < last; ++i) {
    const Span span = call.span(b, i);
    if (span.from == span.to)
      call.put_empty(b, h, i);
    else
      rows[static_cast<std::size_t>(i - first)].put(call, x, b, h, i);
  }
}

template <bool fault>
void forward(const Call& call) {
  for (index b = 0; b < call.batch; ++b)
    for (index kv = 0; kv < call.kv_heads; ++kv) {
      const coding::Coded k = coding::by_rows<coding::Int8Cuda>(call.key_rows(b, kv), 64);
      Tile x;
      x.v = call.value_rows(b, kv);
      x.k = &k, x.scale = call.scale;
      for (index h = kv * call.group; h < (kv + 1) * call.group; ++h) {
        const coding::Coded q = coding::by_rows<coding::Int8Cuda>(call.query_rows(b, h), 32);
        x.q = &q;
        for (index first = 0; first < call.queries; first += 64) block<fault>(call, x, b, h, first);
      }
    }
}

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, forward<fault>,
      {.numerics =
           "score.query_codes.rule=int8_cuda score.query_codes.sharing=rows score.query_codes.count=32 "
           "score.key_codes.rule=int8_cuda score.key_codes.sharing=rows score.key_codes.count=64 "
           "score.exact_products=yes "
           "weight_roundoff=0x1p-11 weight_underflow=0x1p-25 weight_smallest_normal=0x1p-14 weight.tile_keys=64"});
}

SharedKernel right() { return made<false>("right_int8_windows"); }

const Registration<Twin> twin{{
    .name = "right_int8_windows",
    .summary = "int8 by warps of 32 queries and 64 keys; a block of 64 queries visits the tiles of keys that its "
               "windows reach; P in f16",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "tile_scale_where_the_window_begins",
    .summary = "the first tile of keys begins where the window of the block's first query begins, not at a multiple "
               "of 64, and has the one scale of its first key",
    .source = "flashinfer-ai/flashinfer #4972",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x80x4 mask=window:70:0 dtype=f16",
    .kernel = [] { return made<true>("tile_scale_where_the_window_begins"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
