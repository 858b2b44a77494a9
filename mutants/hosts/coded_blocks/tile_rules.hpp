// SPDX-License-Identifier: Apache-2.0
// Rules of the host of codes by tiles, those of two kernels: ThreadInt8 and WarpFp8 are what SageAttention 2 does by
// "per_thread" with f16 P and by "per_warp" with e4m3 P. A wrong kernel derives from one and hides a constant or a
// function.
#pragma once

#include "mutants/hosts/coded_blocks/coded_call.hpp"

namespace attestone::inline mutants::coded_blocks {

inline constexpr int block_q = 128;
inline constexpr int warp_q = 32;
inline constexpr int block_k = 64;

/// How the groups of a warp's rows are numbered: `per_warp` groups, and the one that row r of the warp is in.
struct EightThreads {
  static constexpr int per_warp = 8;
  static int group(int r) { return r % 8; }
};
struct FourPairs {
  static constexpr int per_warp = 4;
  static int group(int r) { return r % 8 / 2; }
};
struct OneGroup {
  static constexpr int per_warp = 1;
  static int group(int /*r*/) { return 0; }
};

/// Steps that both kernels share.
struct Common {
  static constexpr bool centred = false;       // K loses its mean
  static constexpr bool values_coded = false;  // V becomes e4m3
  static constexpr float offset = 0;           // what the reference is below the maximum, to base 2

  /// An element of a tile in shared memory after the last row; `before` is its former value.
  static float behind_the_end(float /*before*/) { return 0; }

  /// The product of two rows of codes.
  static std::int32_t dot(const std::int8_t* q, const std::int8_t* k, index dim) {
    std::int32_t sum = 0;
    for (index c = 0; c < dim; ++c) sum += q[c] * k[c];
    return sum;
  }

  /// How many tiles of keys a block of queries that begins at `begin` looks at.
  static index key_tiles(const attestone_args& a, index begin) {
    return ceil_div(causal(a) ? std::min(a.keys, begin + block_q) : a.keys, block_k);
  }

  /// The tile whose scales dequantise tile t.
  static index scale_tile(index t) { return t; }

  /// The number subtracted from here on: `before` until now, `tile` by the maximum of this tile.
  static float raised(float before, float tile) { return std::max(before, tile); }

  /// The factor by which the sums so far shrink; the difference is to base 2.
  static float shrink(float difference) { return std::exp2(difference); }

  /// One product more in an accumulator.
  static float accumulate(float sum, float p, float v) { return sum + p * v; }

  /// The channel whose scale V has in channel c.
  static index value_scale_channel(index c) { return c; }
};

/// int8 by threads: 8 groups of a warp of 32 queries, 4 of 64 keys; P in f16, the denominator sums what was cast.
struct ThreadInt8 : Common {
  static constexpr const char* numerics =
      "score.query_codes.rule=int8_thread score.query_codes.sharing=query_thread score.query_codes.count=32 "
      "score.key_codes.rule=int8_thread score.key_codes.sharing=key_thread score.key_codes.count=64 "
      "score.exact_products=yes weight_roundoff=0x1p-11 weight_underflow=0x1p-25 "
      "weight.denominator_sums_cast=yes weight.tile_keys=64";
  using QueryGroups = EightThreads;
  using KeyGroups = FourPairs;

  static float least_size() { return 0; }
  static float scale(float largest) { return largest / 127.0F + 1e-7F; }
  static std::int8_t code(float x, float /*largest*/, float scale) {
    const float y = x / scale;
    return saturated_int8(std::trunc(y + (y >= 0 ? 0.5F : -0.5F)));
  }
  static float cast(float p) { return narrow(static_cast<double>(p), f16); }
  static float denominator_share(float /*p*/, float cast) { return cast; }
};

/// int8 by warps, 32 queries or 64 keys, of K less its mean; P in e4m3 with an offset of 2^8.807, V in e4m3 by
/// channels; the denominator sums P as it was.
struct WarpFp8 : Common {
  // What e4m3 loses below its normal range is 2^-10 / 2^8.807 of a weight whose maximum is 1.
  static constexpr const char* numerics =
      "score.query_codes.rule=int8_cuda score.query_codes.sharing=rows score.query_codes.count=32 "
      "score.key_codes.rule=int8_cuda score.key_codes.sharing=rows score.key_codes.count=64 "
      "score.key_codes.centring=in_f32 value.codes.rule=e4m3 value.codes.sharing=channel score.exact_products=yes "
      "weight_roundoff=0x1p-4 weight_underflow=0x1.25p-19 weight.reference_below=6.1046 weight.tile_keys=64";
  using QueryGroups = OneGroup;
  using KeyGroups = OneGroup;
  static constexpr bool centred = true;
  static constexpr bool values_coded = true;
  static constexpr float offset = 8.807F;

  static float least_size() { return 1e-7F; }
  static float scale(float largest) { return largest / 127.0F; }
  static std::int8_t code(float x, float largest, float /*scale*/) {
    return saturated_int8(std::nearbyint(x * (127.0F / largest)));
  }
  static float cast(float p) { return narrow(static_cast<double>(p), e4m3); }
  static float denominator_share(float p, float /*cast*/) { return p; }
};

}  // namespace attestone::inline mutants::coded_blocks
