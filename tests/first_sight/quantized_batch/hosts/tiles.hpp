// SPDX-License-Identifier: Apache-2.0
// Host 3: like CUDA. A first launch makes codes of Q, K and V in "global memory"; a second one has a block for every
// 128 queries of a head, which loops over tiles of 64 keys with a running maximum; P and O lie in local arrays.
//
// A kernel is Launch<Traits>. ThreadInt8 and WarpFp8 are what SageAttention 2 does by "per_thread" with f16 P and by
// "per_warp" with e4m3 P. A wrong kernel derives from one of them and hides a constant or a function.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "door.hpp"

namespace tiles {

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

/// What both kernels do alike.
struct Common {
  static constexpr bool centred = false;       // K loses its mean
  static constexpr bool values_coded = false;  // V becomes e4m3
  static constexpr float offset = 0;           // what the reference is below the maximum, to base 2

  /// What a tile in shared memory holds behind the last row; `before` is what it held.
  static float behind_the_end(float /*before*/) { return 0; }

  /// The product of two rows of codes.
  static int32_t dot(const int8_t* q, const int8_t* k, int64_t dim) {
    int32_t sum = 0;
    for (int64_t c = 0; c < dim; ++c) sum += q[c] * k[c];
    return sum;
  }

  /// How many tiles of keys a block of queries that begins at `begin` looks at.
  static int64_t key_tiles(const attestone_args& a, int64_t begin) {
    return door::ceil_div(door::causal(a) ? std::min(a.keys, begin + block_q) : a.keys, block_k);
  }

  /// The tile whose scales dequantise tile t.
  static int64_t scale_tile(int64_t t) { return t; }

  /// What is subtracted from here on: `before` until now, `tile` by the maximum of this tile.
  static float raised(float before, float tile) { return std::max(before, tile); }

  /// What the sums so far shrink by; the difference is to base 2.
  static float shrink(float difference) { return std::exp2(difference); }

  /// One product more in an accumulator.
  static float accumulate(float sum, float p, float v) { return sum + p * v; }

  /// The channel whose scale V has in channel c.
  static int64_t value_scale_channel(int64_t c) { return c; }
};

/// int8 by threads: 8 groups of a warp of 32 queries, 4 of 64 keys; P in f16, the denominator sums what was cast.
struct ThreadInt8 : Common {
  static constexpr const char* name = "int8 by threads, f16 P";
  static constexpr const char* numerics =
      "score.query_codes.rule=int8_thread score.query_codes.sharing=query_thread score.query_codes.count=32 "
      "score.key_codes.rule=int8_thread score.key_codes.sharing=key_thread score.key_codes.count=64 "
      "score.exact_products=yes weight_roundoff=0x1p-11 weight_underflow=0x1p-25 "
      "weight.denominator_sums_cast=yes weight.tile_keys=64";
  using QueryGroups = EightThreads;
  using KeyGroups = FourPairs;

  static float least_size() { return 0; }
  static float scale(float largest) { return largest / 127.0F + 1e-7F; }
  static int8_t code(float x, float /*largest*/, float scale) {
    const float y = x / scale;
    return door::saturated_int8(std::trunc(y + (y >= 0 ? 0.5F : -0.5F)));
  }
  static float cast(float p) { return door::narrow(static_cast<double>(p), door::f16); }
  static float denominator_share(float /*p*/, float cast) { return cast; }
};

/// int8 by warps, 32 queries or 64 keys, of K less its mean; P in e4m3 with an offset of 2^8.807, V in e4m3 by
/// channels; the denominator sums P as it was.
struct WarpFp8 : Common {
  static constexpr const char* name = "int8 by warps, e4m3 P and V";
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
  static int8_t code(float x, float largest, float /*scale*/) {
    return door::saturated_int8(std::nearbyint(x * (127.0F / largest)));
  }
  static float cast(float p) { return door::narrow(static_cast<double>(p), door::e4m3); }
  static float denominator_share(float p, float /*cast*/) { return p; }
};

template <class Traits>
class Launch {
 public:
  static constexpr const char* name = Traits::name;
  static constexpr const char* numerics = Traits::numerics;

  void forward(const attestone_args& a) {
    prepare(a);
    for (int64_t b = 0; b < a.batch; ++b)
      for (int64_t h = 0; h < a.heads; ++h)
        for (int64_t begin = 0; begin < a.queries; begin += block_q) block(a, b, h, begin);
  }

 private:
  using QueryGroups = typename Traits::QueryGroups;
  using KeyGroups = typename Traits::KeyGroups;

  // Global memory. Scales lie in rows of heads, padded to whole blocks.
  std::vector<int8_t> q_codes_, k_codes_;
  std::vector<float> q_scales_, k_scales_;
  std::vector<float> mean_;               // of K: [batch, kv_heads, dim]
  std::vector<float> values_, v_scales_;  // V or numbers of e4m3; [batch, kv_heads, dim]

  static int64_t query_groups(const attestone_args& a) {
    return door::ceil_div(a.queries, block_q) * (block_q / warp_q) * QueryGroups::per_warp;
  }
  static int64_t key_groups(const attestone_args& a) { return door::ceil_div(a.keys, block_k) * KeyGroups::per_warp; }

  void prepare(const attestone_args& a) {
    const int64_t q_heads = a.batch * a.heads;
    const int64_t kv_heads = a.batch * a.kv_heads;
    q_codes_.resize(static_cast<size_t>(q_heads * a.queries * a.dim));
    k_codes_.resize(static_cast<size_t>(kv_heads * a.keys * a.dim));
    q_scales_.resize(static_cast<size_t>(q_heads * query_groups(a)));
    k_scales_.resize(static_cast<size_t>(kv_heads * key_groups(a)));
    mean_.assign(static_cast<size_t>(kv_heads * a.dim), 0.0F);
    values_.resize(static_cast<size_t>(kv_heads * a.keys * a.dim));
    v_scales_.assign(static_cast<size_t>(kv_heads * a.dim), 1.0F);

    const std::vector<float> nothing(static_cast<size_t>(a.dim));
    for (int64_t head = 0; head < q_heads; ++head)
      encode<QueryGroups, warp_q>(a.query, head / a.heads, head % a.heads, a.queries, a.dim, nothing.data(),
                                  &q_codes_[static_cast<size_t>(head * a.queries * a.dim)],
                                  &q_scales_[static_cast<size_t>(head * query_groups(a))]);
    for (int64_t head = 0; head < kv_heads; ++head) {
      float* mean = &mean_[static_cast<size_t>(head * a.dim)];
      if (Traits::centred) average(a, head, mean);
      encode<KeyGroups, block_k>(a.key, head / a.kv_heads, head % a.kv_heads, a.keys, a.dim, mean,
                                 &k_codes_[static_cast<size_t>(head * a.keys * a.dim)],
                                 &k_scales_[static_cast<size_t>(head * key_groups(a))]);
      prepare_values(a, head);
    }
  }

  /// The mean of K over the keys, in the format of K.
  static void average(const attestone_args& a, int64_t head, float* mean) {
    for (int64_t c = 0; c < a.dim; ++c) {
      double sum = 0;
      for (int64_t j = 0; j < a.keys; ++j)
        sum += static_cast<double>(door::load(a.key, head / a.kv_heads, head % a.kv_heads, j, c));
      mean[c] = door::narrow(sum / static_cast<double>(a.keys), door::format_of(a.key));
    }
  }

  /// Codes and scales of one head: tile after tile of Rows rows through shared memory.
  template <class Groups, int Rows>
  static void encode(const attestone_tensor& x, int64_t b, int64_t h, int64_t rows, int64_t dim, const float* mean,
                     int8_t* codes, float* scales) {
    using Tile = std::array<std::array<float, door::max_dim>, Rows>;
    const auto shared = std::make_unique<Tile>();
    for (int64_t begin = 0; begin < rows; begin += Rows, scales += Groups::per_warp) {
      std::array<float, Groups::per_warp> largest;
      largest.fill(Traits::least_size());
      for (int r = 0; r < Rows; ++r)
        for (int64_t c = 0; c < dim; ++c) {
          float& element = (*shared)[static_cast<size_t>(r)][static_cast<size_t>(c)];
          element = begin + r < rows ? door::load(x, b, h, begin + r, c) - mean[c] : Traits::behind_the_end(element);
          float& a = largest[static_cast<size_t>(Groups::group(r))];
          a = door::larger_size(a, element);
        }
      for (size_t g = 0; g < largest.size(); ++g) scales[g] = Traits::scale(largest[g]);
      for (int r = 0; r < Rows && begin + r < rows; ++r)
        for (int64_t c = 0; c < dim; ++c) {
          const auto g = static_cast<size_t>(Groups::group(r));
          codes[(begin + r) * dim + c] =
              Traits::code((*shared)[static_cast<size_t>(r)][static_cast<size_t>(c)], largest[g], scales[g]);
        }
    }
  }

  void prepare_values(const attestone_args& a, int64_t head) {
    for (int64_t c = 0; c < a.dim; ++c) {
      float* v = &values_[static_cast<size_t>(head * a.keys * a.dim + c)];
      float largest = 0;
      for (int64_t j = 0; j < a.keys; ++j) {
        v[j * a.dim] = door::load(a.value, head / a.kv_heads, head % a.kv_heads, j, c);
        largest = door::larger_size(largest, v[j * a.dim]);
      }
      if (!Traits::values_coded) continue;
      const float factor = largest == 0 ? 0 : 448.0F / largest;
      for (int64_t j = 0; j < a.keys; ++j)
        if (v[j * a.dim] != 0) v[j * a.dim] = door::narrow(static_cast<double>(v[j * a.dim] * factor), door::e4m3);
      v_scales_[static_cast<size_t>(head * a.dim + c)] = largest / 448.0F;
    }
  }

  /// A block of 128 queries of one head.
  void block(const attestone_args& a, int64_t b, int64_t h, int64_t begin) const {
    const int64_t q_head = b * a.heads + h;
    const int64_t kv_head = b * a.kv_heads + door::kv_head_of(a, h);
    const int rows = static_cast<int>(std::min<int64_t>(block_q, a.queries - begin));
    std::array<float, block_q> m, l;
    const auto o = std::make_unique<std::array<std::array<float, door::max_dim>, block_q>>();
    m.fill(-door::infinity);
    l.fill(0);

    for (int64_t t = 0; t < Traits::key_tiles(a, begin); ++t)
      for (int r = 0; r < rows; ++r) {
        const auto row = static_cast<size_t>(r);
        tile(a, q_head, kv_head, begin + r, t, m[row], l[row], (*o)[row].data());
      }

    for (int r = 0; r < rows; ++r) {
      const auto row = static_cast<size_t>(r);
      for (int64_t c = 0; c < a.dim; ++c) {
        const int64_t channel = Traits::value_scale_channel(c);
        door::store_out(
            a, b, h, begin + r, c,
            (*o)[row][static_cast<size_t>(c)] / l[row] * v_scales_[static_cast<size_t>(kv_head * a.dim + channel)]);
      }
      door::store_log_sum_exp(a, b, h, begin + r,
                              (std::log2(l[row]) + m[row]) * door::ln2 + mean_score(a, b, h, begin + r, kv_head));
    }
  }

  /// The keys of tile t for one query: m is what is subtracted from scores, l and o are the sums so far.
  void tile(const attestone_args& a, int64_t q_head, int64_t kv_head, int64_t i, int64_t t, float& m, float& l,
            float* o) const {
    const int64_t first = t * block_k;
    const int seen = static_cast<int>(std::clamp<int64_t>(door::keys_seen(a, i) - first, 0, block_k));
    if (seen == 0) return;
    const int8_t* q = &q_codes_[static_cast<size_t>((q_head * a.queries + i) * a.dim)];
    const int8_t* k = &k_codes_[static_cast<size_t>((kv_head * a.keys + first) * a.dim)];
    const float* v = &values_[static_cast<size_t>((kv_head * a.keys + first) * a.dim)];
    const int64_t q_group = i / warp_q * QueryGroups::per_warp + QueryGroups::group(static_cast<int>(i % warp_q));
    const float q_scale = q_scales_[static_cast<size_t>(q_head * query_groups(a) + q_group)];
    const int64_t k_group = kv_head * key_groups(a) + Traits::scale_tile(t) * KeyGroups::per_warp;
    const auto to_base_2 = static_cast<float>(a.scale * door::log2_e);

    std::array<float, block_k> s;
    float largest = -door::infinity;
    for (int j = 0; j < seen; ++j) {
      const float scale = q_scale * k_scales_[static_cast<size_t>(k_group + KeyGroups::group(j))];
      float& score = s[static_cast<size_t>(j)];
      score = static_cast<float>(Traits::dot(q, k + j * a.dim, a.dim)) * (scale * to_base_2);
      largest = std::max(largest, score);
    }
    const float before = m;
    m = Traits::raised(before, largest - Traits::offset);
    if (m != before) {
      const float factor = Traits::shrink(before - m);
      l *= factor;
      for (int64_t c = 0; c < a.dim; ++c) o[c] *= factor;
    }
    for (int j = 0; j < seen; ++j) {
      const float p = std::exp2(s[static_cast<size_t>(j)] - m);
      const float cast = Traits::cast(p);
      l += Traits::denominator_share(p, cast);
      for (int64_t c = 0; c < a.dim; ++c) o[c] = Traits::accumulate(o[c], cast, v[j * a.dim + c]);
    }
  }

  /// The share in log_sum_exp that K lost with its mean.
  float mean_score(const attestone_args& a, int64_t b, int64_t h, int64_t i, int64_t kv_head) const {
    if (!Traits::centred) return 0;
    float sum = 0;
    for (int64_t c = 0; c < a.dim; ++c)
      sum += door::load(a.query, b, h, i, c) * mean_[static_cast<size_t>(kv_head * a.dim + c)];
    return sum * static_cast<float>(a.scale);
  }
};

}  // namespace tiles
