// SPDX-License-Identifier: Apache-2.0
// Products of rows against three loops, of every size that leaves a remainder, on every instruction set.
#include "backends/cpu/decode/row_products.hpp"

#include <bit>
#include <map>

#include "backends/cpu/simd/codes.hpp"
#include "tests/backends/cpu/simd/panel_memory.hpp"

namespace attestone {
namespace {

constexpr index query_counts[] = {1, 2, 3, 4, 5, 7, 8, 9};
constexpr index key_counts[] = {1, 2, 3, 4, 5, 8, 31, 64};

TEST(RowProducts, DotEveryKeyWithEveryQuery) {
  on_every_target([](std::mt19937& random) {
    for (const index queries : query_counts)
      for (const index keys : key_counts)
        for (const index dim : {row_lanes, 3 * row_lanes}) {
          const index far = dim + 5, stride = filled_up(keys);
          PanelMemory Q(queries * dim), K(keys * far), S(queries * stride);
          Q.set_integers(random), K.set_integers(random);
          dot_rows({Q.data(), dim}, queries, key_rows({K.data(), far}), keys, dim, S.data(), stride);
          for (index query = 0; query < queries; ++query)
            for (index key = 0; key < keys; ++key) {
              float sum = 0;
              for (index c = 0; c < dim; ++c) sum += Q[query * dim + c] * K[key * far + c];
              ASSERT_EQ(S[query * stride + key], sum) << queries << " " << keys << " " << dim;
            }
        }
  });
}

TEST(RowProducts, AddEveryKeyToEveryQuery) {
  on_every_target([](std::mt19937& random) {
    for (const index queries : query_counts)
      for (const index keys : key_counts)
        for (const index channels : {row_lanes, 3 * row_lanes}) {
          const index far = channels + 3, stride = keys + 2;
          PanelMemory P(queries * stride), V(keys * far), O(queries * channels);
          P.set_integers(random), V.set_integers(random), O.set_all(7);
          add_rows({P.data(), stride}, queries, key_rows({V.data(), far}), keys, channels, O.data());
          for (index query = 0; query < queries; ++query)
            for (index c = 0; c < channels; ++c) {
              float sum = 7;
              for (index key = 0; key < keys; ++key) sum += P[query * stride + key] * V[key * far + c];
              ASSERT_EQ(O[query * channels + c], sum) << queries << " " << keys << " " << channels;
            }
        }
  });
}

/// Bits depend on whether products are fused, on the key and the query, and on nothing else: not on the width of
/// vectors, and not on who stands beside.
TEST(RowProducts, HaveTheSameBitsInAnyCompany) {
  constexpr index dim = 4 * row_lanes, keys = 7, stride = row_lanes;
  std::map<bool, std::vector<float>> first;
  on_every_target([&](std::mt19937& random) {
    PanelMemory Q(5 * dim), K(keys * dim), S(5 * stride), O(5 * dim), alone(stride), o(dim);
    Q.set_normal(random), K.set_normal(random), O.set_all(0);
    dot_rows({Q.data(), dim}, 5, key_rows({K.data(), dim}), keys, dim, S.data(), stride);
    add_rows({S.data(), stride}, 5, key_rows({K.data(), dim}), keys, dim, O.data());
    std::vector<float> all;
    for (index query = 0; query < 5; ++query) {
      dot_rows({Q.data() + query * dim, dim}, 1, key_rows({K.data(), dim}), keys, dim, alone.data(), stride);
      for (index key = 0; key < keys; ++key) ASSERT_EQ(alone[key], S[query * stride + key]);
      o.set_all(0);
      for (index key = 0; key < keys; ++key)
        add_rows({alone.data() + key, stride}, 1, key_rows({K.data() + key * dim, dim}), 1, dim, o.data());
      for (index c = 0; c < dim; ++c) ASSERT_EQ(o[c], O[query * dim + c]);
      all.insert(all.end(), alone.data(), alone.data() + keys);
      all.insert(all.end(), o.data(), o.data() + dim);
    }
    const bool fused = fuses(hwy::SupportedAndGeneratedTargets().front());
    const auto [known, fresh] = first.try_emplace(fused, all);
    EXPECT_TRUE(fresh || known->second == all);
  });
}

/// Codes are the floats that they stand for, subnormal and infinite ones too.
TEST(RowProducts, ReadCodesAsTheirFloats) {
  on_every_target([](std::mt19937& random) {
    constexpr index queries = 3, dim = 3 * row_lanes, keys = 31, far = dim + 1, stride = filled_up(keys);
    const auto bits = [](float x) { return x == x ? std::bit_cast<std::uint32_t>(x) : 0x7FC00000u; };
    for (const StoredFormat format : {StoredFormat::f16, StoredFormat::bf16}) {
      PanelMemory Q(queries * dim), K(keys * far), S(queries * stride), of_codes(queries * stride), O(queries * dim),
          out_of_codes(queries * dim);
      Q.set_normal(random), O.set_all(1), out_of_codes.set_all(1);
      std::vector<std::uint16_t> codes(keys * far);
      for (std::size_t i = 0; i < codes.size(); ++i) {
        const bool any = i / far == 5;  // of others all are finite
        codes[i] = static_cast<std::uint16_t>(random() & (any ? 0xFFFF : 0xBFFF));
        K[static_cast<index>(i)] = format == StoredFormat::f16 ? decode_f16(codes[i]) : decode_bf16(codes[i]);
      }
      const KeyRows stored{format, reinterpret_cast<const std::byte*>(codes.data()), 2 * far};
      dot_rows({Q.data(), dim}, queries, key_rows({K.data(), far}), keys, dim, S.data(), stride);
      dot_rows({Q.data(), dim}, queries, stored, keys, dim, of_codes.data(), stride);
      add_rows({Q.data(), dim}, queries, key_rows({K.data(), far}), keys, dim, O.data());
      add_rows({Q.data(), dim}, queries, stored, keys, dim, out_of_codes.data());
      for (index query = 0; query < queries; ++query) {
        for (index key = 0; key < keys; ++key)
          ASSERT_EQ(bits(S[query * stride + key]), bits(of_codes[query * stride + key])) << query << " " << key;
        for (index c = 0; c < dim; ++c)
          ASSERT_EQ(bits(O[query * dim + c]), bits(out_of_codes[query * dim + c])) << query << " " << c;
      }
    }
  });
}

}  // namespace
}  // namespace attestone
