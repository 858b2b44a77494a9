// SPDX-License-Identifier: Apache-2.0
// A host of codes by tiles, like CUDA: a first launch makes codes of Q, K and V in "global memory"; a second one has a
// block for every 128 queries of a head, which loops over tiles of 64 keys with a running maximum; P and O lie in local
// arrays. A kernel is Launch<Traits> (tile_rules.hpp).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "mutants/hosts/coded_blocks/tile_rules.hpp"

namespace attestone::inline mutants::coded_blocks {

template <class Traits>
class Launch {
 public:
  static constexpr const char* numerics = Traits::numerics;

  void forward(const attestone_args& a) {
    prepare(a);
    for (index b = 0; b < a.batch; ++b)
      for (index h = 0; h < a.heads; ++h)
        for (index begin = 0; begin < a.queries; begin += block_q) block(a, b, h, begin);
  }

 private:
  using QueryGroups = typename Traits::QueryGroups;
  using KeyGroups = typename Traits::KeyGroups;

  // Global memory. Scales lie in rows of heads, padded to whole blocks.
  std::vector<std::int8_t> q_codes_, k_codes_;
  std::vector<float> q_scales_, k_scales_;
  std::vector<float> mean_;               // of K: [batch, kv_heads, dim]
  std::vector<float> values_, v_scales_;  // V or numbers of e4m3; [batch, kv_heads, dim]

  static index query_groups(const attestone_args& a) {
    return ceil_div(a.queries, block_q) * (block_q / warp_q) * QueryGroups::per_warp;
  }
  static index key_groups(const attestone_args& a) { return ceil_div(a.keys, block_k) * KeyGroups::per_warp; }

  void prepare(const attestone_args& a) {
    const index q_heads = a.batch * a.heads;
    const index kv_heads = a.batch * a.kv_heads;
    q_codes_.resize(static_cast<std::size_t>(q_heads * a.queries * a.dim));
    k_codes_.resize(static_cast<std::size_t>(kv_heads * a.keys * a.dim));
    q_scales_.resize(static_cast<std::size_t>(q_heads * query_groups(a)));
    k_scales_.resize(static_cast<std::size_t>(kv_heads * key_groups(a)));
    mean_.assign(static_cast<std::size_t>(kv_heads * a.dim), 0.0F);
    values_.resize(static_cast<std::size_t>(kv_heads * a.keys * a.dim));
    v_scales_.assign(static_cast<std::size_t>(kv_heads * a.dim), 1.0F);

    const std::vector<float> nothing(static_cast<std::size_t>(a.dim));
    for (index head = 0; head < q_heads; ++head)
      encode<QueryGroups, warp_q>(a.query, head / a.heads, head % a.heads, a.queries, a.dim, nothing.data(),
                                  &q_codes_[static_cast<std::size_t>(head * a.queries * a.dim)],
                                  &q_scales_[static_cast<std::size_t>(head * query_groups(a))]);
    for (index head = 0; head < kv_heads; ++head) {
      float* mean = &mean_[static_cast<std::size_t>(head * a.dim)];
      if (Traits::centred) average(a, head, mean);
      encode<KeyGroups, block_k>(a.key, head / a.kv_heads, head % a.kv_heads, a.keys, a.dim, mean,
                                 &k_codes_[static_cast<std::size_t>(head * a.keys * a.dim)],
                                 &k_scales_[static_cast<std::size_t>(head * key_groups(a))]);
      prepare_values(a, head);
    }
  }

  /// The mean of K over the keys, in the format of K.
  static void average(const attestone_args& a, index head, float* mean) {
    for (index c = 0; c < a.dim; ++c) {
      double sum = 0;
      for (index j = 0; j < a.keys; ++j)
        sum += static_cast<double>(load(a.key, head / a.kv_heads, head % a.kv_heads, j, c));
      mean[c] = narrow(sum / static_cast<double>(a.keys), format_of(a.key));
    }
  }

  /// Codes and scales of one head: tile after tile of Rows rows through shared memory.
  template <class Groups, int Rows>
  static void encode(const attestone_tensor& x, index b, index h, index rows, index dim, const float* mean,
                     std::int8_t* codes, float* scales) {
    using Tile = std::array<std::array<float, max_dim>, Rows>;
    const auto shared = std::make_unique<Tile>();
    for (index begin = 0; begin < rows; begin += Rows, scales += Groups::per_warp) {
      std::array<float, Groups::per_warp> largest;
      largest.fill(Traits::least_size());
      for (int r = 0; r < Rows; ++r)
        for (index c = 0; c < dim; ++c) {
          float& element = (*shared)[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
          element = begin + r < rows ? load(x, b, h, begin + r, c) - mean[c] : Traits::behind_the_end(element);
          float& a = largest[static_cast<std::size_t>(Groups::group(r))];
          a = larger_size(a, element);
        }
      for (std::size_t g = 0; g < largest.size(); ++g) scales[g] = Traits::scale(largest[g]);
      for (int r = 0; r < Rows && begin + r < rows; ++r)
        for (index c = 0; c < dim; ++c) {
          const auto g = static_cast<std::size_t>(Groups::group(r));
          codes[(begin + r) * dim + c] =
              Traits::code((*shared)[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)], largest[g], scales[g]);
        }
    }
  }

  void prepare_values(const attestone_args& a, index head) {
    for (index c = 0; c < a.dim; ++c) {
      float* v = &values_[static_cast<std::size_t>(head * a.keys * a.dim + c)];
      float largest = 0;
      for (index j = 0; j < a.keys; ++j) {
        v[j * a.dim] = load(a.value, head / a.kv_heads, head % a.kv_heads, j, c);
        largest = larger_size(largest, v[j * a.dim]);
      }
      if (!Traits::values_coded) continue;
      const float factor = largest == 0 ? 0 : 448.0F / largest;
      for (index j = 0; j < a.keys; ++j)
        if (v[j * a.dim] != 0) v[j * a.dim] = narrow(static_cast<double>(v[j * a.dim] * factor), e4m3);
      v_scales_[static_cast<std::size_t>(head * a.dim + c)] = largest / 448.0F;
    }
  }

  /// A block of 128 queries of one head.
  void block(const attestone_args& a, index b, index h, index begin) const {
    const index q_head = b * a.heads + h;
    const index kv_head = b * a.kv_heads + kv_head_of(a, h);
    const int rows = static_cast<int>(std::min<index>(block_q, a.queries - begin));
    std::array<float, block_q> m, l;
    const auto o = std::make_unique<std::array<std::array<float, max_dim>, block_q>>();
    m.fill(-infinity);
    l.fill(0);

    for (index t = 0; t < Traits::key_tiles(a, begin); ++t)
      for (int r = 0; r < rows; ++r) {
        const auto row = static_cast<std::size_t>(r);
        tile(a, q_head, kv_head, begin + r, t, m[row], l[row], (*o)[row].data());
      }

    for (int r = 0; r < rows; ++r) {
      const auto row = static_cast<std::size_t>(r);
      for (index c = 0; c < a.dim; ++c) {
        const index channel = Traits::value_scale_channel(c);
        store_out(a, b, h, begin + r, c,
                  (*o)[row][static_cast<std::size_t>(c)] / l[row] *
                      v_scales_[static_cast<std::size_t>(kv_head * a.dim + channel)]);
      }
      store_log_sum_exp(a, b, h, begin + r,
                        (std::log2(l[row]) + m[row]) * ln2 + mean_score(a, b, h, begin + r, kv_head));
    }
  }

  /// The keys of tile t for one query: m is what is subtracted from scores, l and o are the sums so far.
  void tile(const attestone_args& a, index q_head, index kv_head, index i, index t, float& m, float& l,
            float* o) const {
    const index first = t * block_k;
    const int seen = static_cast<int>(std::clamp<index>(keys_seen(a, i) - first, 0, block_k));
    if (seen == 0) return;
    const std::int8_t* q = &q_codes_[static_cast<std::size_t>((q_head * a.queries + i) * a.dim)];
    const std::int8_t* k = &k_codes_[static_cast<std::size_t>((kv_head * a.keys + first) * a.dim)];
    const float* v = &values_[static_cast<std::size_t>((kv_head * a.keys + first) * a.dim)];
    const index q_group = i / warp_q * QueryGroups::per_warp + QueryGroups::group(static_cast<int>(i % warp_q));
    const float q_scale = q_scales_[static_cast<std::size_t>(q_head * query_groups(a) + q_group)];
    const index k_group = kv_head * key_groups(a) + Traits::scale_tile(t) * KeyGroups::per_warp;
    const auto to_base_2 = static_cast<float>(a.scale * log2_e);

    std::array<float, block_k> s;
    float largest = -infinity;
    for (int j = 0; j < seen; ++j) {
      const float scale = q_scale * k_scales_[static_cast<std::size_t>(k_group + KeyGroups::group(j))];
      float& score = s[static_cast<std::size_t>(j)];
      score = static_cast<float>(Traits::dot(q, k + j * a.dim, a.dim)) * (scale * to_base_2);
      largest = std::max(largest, score);
    }
    const float before = m;
    m = Traits::raised(before, largest - Traits::offset);
    if (m != before) {
      const float factor = Traits::shrink(before - m);
      l *= factor;
      for (index c = 0; c < a.dim; ++c) o[c] *= factor;
    }
    for (int j = 0; j < seen; ++j) {
      const float p = std::exp2(s[static_cast<std::size_t>(j)] - m);
      const float cast = Traits::cast(p);
      l += Traits::denominator_share(p, cast);
      for (index c = 0; c < a.dim; ++c) o[c] = Traits::accumulate(o[c], cast, v[j * a.dim + c]);
    }
  }

  /// The share in log_sum_exp that K lost with its mean.
  float mean_score(const attestone_args& a, index b, index h, index i, index kv_head) const {
    if (!Traits::centred) return 0;
    float sum = 0;
    for (index c = 0; c < a.dim; ++c)
      sum += load(a.query, b, h, i, c) * mean_[static_cast<std::size_t>(kv_head * a.dim + c)];
    return sum * static_cast<float>(a.scale);
  }
};

}  // namespace attestone::inline mutants::coded_blocks
