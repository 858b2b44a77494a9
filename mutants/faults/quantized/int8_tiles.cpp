// SPDX-License-Identifier: Apache-2.0
// Tiles of int8 codes whose scale or mean comes from another tile or head.
#include "mutants/hosts/coded_operands/kernel.hpp"
#include "mutants/hosts/coded_operands/operands.hpp"
#include "mutants/hosts/coded_operands/softmax.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_operands {
namespace {

// Shows in log_sum_exp, where query heads share one of several kv heads.
namespace int8_warps {

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

}  // namespace int8_warps

// Shows with windows to the left, where they begin behind the first key.
namespace int8_windows {

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

}  // namespace int8_windows

// Shows where query heads share a kv head.
namespace int8_packed_heads {

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

}  // namespace int8_packed_heads

const Registrations<Twin> twins{
    {.name = "right_int8_warps",
     .summary = "int8 by warps of 32 queries and 64 keys, K less its mean; P in f16",
     .batch = "seventh",
     .kernel = int8_warps::right},
    {.name = "right_int8_windows",
     .summary = "int8 by warps of 32 queries and 64 keys; a block of 64 queries visits the tiles of keys that its "
                "windows reach; P in f16",
     .batch = "seventh",
     .kernel = int8_windows::right},
    {.name = "right_int8_packed_heads",
     .summary =
         "int8 by blocks of 64 queries and 64 keys, P in f16; the query heads of a kv head are packed into one tile",
     .batch = "seventh",
     .kernel = int8_packed_heads::right},
};

const Registrations<Mutant> registered{
    {.name = "mean_of_another_kv_head_given_back",
     .summary = "log_sum_exp is given back the mean of kv head h mod kv_heads in place of h / group: the means were "
                "repeated as tiles, not head by head",
     .source = "ROCm/aiter PR #3334, ROCm/aiter #3349",
     .property = "codes_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x4/2x2x4x4 dtype=f16 fill=channel_offset",
     .batch = "seventh",
     .kernel = [] { return int8_warps::made<true>("mean_of_another_kv_head_given_back"); },
     .twin = int8_warps::right},
    {.name = "tile_scale_where_the_window_begins",
     .summary = "the first tile of keys begins where the window of the block's first query begins, not at a multiple "
                "of 64, and has the one scale of its first key",
     .source = "flashinfer-ai/flashinfer #4972",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x80x4 mask=window:70:0 dtype=f16",
     .batch = "seventh",
     .kernel = [] { return int8_windows::made<true>("tile_scale_where_the_window_begins"); },
     .twin = int8_windows::right},
    {.name = "query_blocks_of_packed_heads",
     .summary = "the query heads of a kv head are packed into one tile, and blocks of 64 are those of packed rows, so "
                "that heads share scales, and each with fewer queries",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2/1x2x4x4 dtype=f16",
     .batch = "seventh",
     .kernel = [] { return int8_packed_heads::made<true>("query_blocks_of_packed_heads"); },
     .twin = int8_packed_heads::right},
};

}  // namespace
}  // namespace attestone::inline mutants::coded_operands
