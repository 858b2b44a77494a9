// SPDX-License-Identifier: Apache-2.0
// What a fault of the producer-consumer host may change: a kernel is this policy, or one that hides some of its
// members.
#pragma once

#include <string_view>

#include "mutants/hosts/staged_blocks/call.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {

struct Policy {
  static constexpr Int kBlockM = 32, kBlockN = 32;  ///< rows of one query tile; keys of a stage
  static constexpr Int kBlockH = 4;                 ///< heads packed into a tile of decoding
  static constexpr bool kForwardOrder = false;      ///< keys from the first tile on
  static constexpr float kRescaleAbove = 0.0f;      ///< how far a maximum moves before sums are rescaled
  static constexpr std::string_view numerics = "merge.form=rescaled_sums merge.parts=4";

  /// Which head the x-th block of a sequence works on: neighbours share no kv head.
  static Int scheduled_head(Int x, Int kv_heads, Int group) { return (x % kv_heads) * group + x / kv_heads; }
  static Int window_right(Int right, const Call& /*c*/) { return right; }
  /// How many tiles, counted from the last, need the right border of the mask.
  static Int right_masked_tiles(Int tile_end, Int first_masked, const Sequence& /*s*/, bool /*bounded*/) {
    return tile_end - first_masked;
  }
  static float exponential(float x) { return std::exp(x); }
  static bool keeps(std::uint32_t word, double rate) {
    return word >= static_cast<std::uint32_t>(std::floor(rate * 0x1p32));
  }
  /// log_sum_exp of rows without keys, and where it lies; a negative place is not written.
  static float empty_lse(float sink, bool /*early_exit*/) { return sink; }
  static Int early_exit_lse_place(const Call& c, const Sequence& s, Int h, Int i) {
    return c.log_sum_exp.offset(s.place, h, s.first_query + i);
  }

  // Decoding.
  struct HeadTile {
    Int kv_head, first, end;
  };
  static Int head_tiles(Int heads, Int kv_heads) { return kv_heads * ceil_div(heads / kv_heads, kBlockH); }
  static HeadTile head_tile(Int tile, Int heads, Int kv_heads) {
    const Int group = heads / kv_heads, per_group = ceil_div(group, kBlockH);
    const Int kv = tile / per_group, first = kv * group + tile % per_group * kBlockH;
    return {kv, first, std::min(first + kBlockH, (kv + 1) * group)};
  }
  static Int decode_slope_head(Int h, Int /*kv*/) { return h; }
  static Int splits(Int keys) { return keys >= 256 ? 4 : keys >= 128 ? 2 : 1; }
  static Int split_length(Int keys, Int splits) { return ceil_div(keys, splits); }
  static bool seeds_sink(Int split, bool /*empty*/, bool /*empty_before*/) { return split == 0; }
  static bool stores_partial_sums(const Call& /*c*/) { return true; }

  /// The derivative of the softcap; t is tanh(s / cap), p the weight.
  static float softcap_derivative(float t, float /*p*/, float /*lse*/, float /*cap*/) { return 1 - t * t; }
};

}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
